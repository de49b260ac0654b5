# Speedup over the baseline against workers, with its interval, and how much equal
# cells differ.

load parts.'style.gp'
file = data.'ratios'
n = blocks(file)
stats file using 3 name 'LOW' nooutput
stats file using 4 name 'HIGH' nooutput
low = LOW_min < 1 ? LOW_min : 1
high = HIGH_max > 1 ? HIGH_max : 1

# At least 5 % each way, lest a small difference look large; and some room.
low = (low < 1 / 1.05 ? low : 1 / 1.05) / (high / low) ** 0.08
high = (high > 1.05 ? high : 1.05) * (high / low) ** 0.08

# A log axis, where twice as fast is as far from 1 as half as fast.
set logscale y 2
width = high / low
marks = width > 6 ? '0.01 0.02 0.05 0.1 0.2 0.3 0.5 0.7 1 1.5 2 3 5 10 20 50 100' : \
	width > 2 ? '0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 1 1.2 1.5 2 2.5 3 4 5 6' : \
	width > 1.3 ? '0.5 0.6 0.7 0.8 0.9 1 1.1 1.2 1.3 1.4 1.6 1.8 2' : \
	width > 1.1 ? '0.7 0.75 0.8 0.85 0.9 0.95 1 1.05 1.1 1.15 1.2 1.25 1.3' : \
	'0.9 0.92 0.94 0.96 0.98 1 1.02 1.04 1.06 1.08 1.1'
set ytics ()
do for [m in marks] { set ytics add (m m + 0) }
set yrange [low : high]

set title "Speedup over ".baseline.": ".what."\n".machine
set ylabel "time per ".per." of ".baseline." / of this ".dimension.", median, 95 % interval"
set label 1 'faster' at graph 0.01, 0.97 textcolor rgb '#666666'
set label 2 'slower' at graph 0.01, 0.03 textcolor rgb '#666666'
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead front linecolor rgb '#444444' linewidth 1

set style fill solid 0.35 noborder
# with nothing to show it is not even a file with data, but gnuplot only warns of that
plot data.'noise' using 1:(1 / (1 + $2)):(1 + $2) with filledcurves linecolor rgb '#bbbbbb' \
		title 'noise floor: equal cells', \
	for [i = 0 : n - 1] file index i using (apart($1, i, n)):2:3:4 with yerrorlines \
		linecolor rgb colour(i) dashtype i / 8 + 1 pointtype point(i) pointsize 1.3 linewidth 1.4 title columnheader(1)
