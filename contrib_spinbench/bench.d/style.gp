# What the plots of bench have in common.  Given: data, the directory of what to
# plot; and parts, that of this file.

load data.'words.gp'

set datafile separator tab
set datafile commentschars ''		# names may have a "#"
set encoding utf8

# Colours that colour-blind people can tell apart (Okabe and Ito, "Color Universal
# Design", 2008), without its yellow, which is pale on white; and where these are not
# enough, and in print, the points differ; above eight lines, dashes do, too.
array colours[8] = ['#000000', '#E69F00', '#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#888888']
array points[8] = [7, 5, 9, 11, 13, 6, 4, 8]
colour(i) = colours[i % 8 + 1]
point(i) = points[(i + i / 8) % 8 + 1]

set border 3 linecolor rgb '#444444'
set tics nomirror out
set grid linecolor rgb '#dddddd' linetype 1 linewidth 0.6
set key outside below center vertical maxrows 4 reverse Left samplen 2 spacing 1.15
set bars 0.5

# Workers, on a log axis with ticks where there are samples.  Lines of several locks
# are set apart a little, lest their intervals hide each other.
set logscale x 2
set xlabel counted
set xtics ()
do for [n in counts] { set xtics add (n int(n)) }
first = int(word(counts, 1))
last = int(word(counts, words(counts)))
blocks(file) = int(system("grep -c '^\"' ".file))
step = 0.05
apart(x, i, n) = x * 2 ** (step * (i - (n - 1) / 2.0))
set xrange [first / 1.5 : last * 1.5]
