# Time per message against workers, one line per lock (or queue) with the interval
# of its median.

load parts.'style.gp'
file = data.'times'
n = blocks(file)
stats file using 3 name 'LOW' nooutput
stats file using 4 name 'HIGH' nooutput

# At least a factor of three, lest a small difference look large.
ratio = HIGH_max / LOW_min
margin = ratio < 3 ? sqrt(3 / ratio) : 1.15
low = LOW_min / margin
high = HIGH_max * margin

# Ticks at 1, 2 and 5 times a power of ten; at more of them where that would be few.
unit(t) = t >= 1e9 ? sprintf('%g s', t / 1e9) : t >= 1e6 ? sprintf('%g ms', t / 1e6) : \
	t >= 1e3 ? sprintf('%g µs', t / 1e3) : sprintf('%g ns', t)
marks = high / low > 8 ? '1 2 5' : '1 1.5 2 2.5 3 4 5 6 7 8 9'
set logscale y 10
set ytics ()
do for [e = int(floor(log10(low))) : int(ceil(log10(high)))] {
	do for [m in marks] { set ytics add (unit(m * 10.0 ** e) m * 10.0 ** e) }
}
set yrange [low : high]

set title "Time per ".per." by number of ".counted.": ".what."\n".machine
set ylabel "time per ".per.": median, 95 % interval"
plot for [i = 0 : n - 1] file index i using (apart($1, i, n)):2:3:4 with yerrorlines \
	linecolor rgb colour(i) dashtype i / 8 + 1 pointtype point(i) pointsize 1.3 linewidth 1.4 title columnheader(1)
