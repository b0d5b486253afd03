/** Prints the export names of the module named on the command line, as a CommonJS user sees it. */
const names = Object.keys(require(process.argv[2])).sort();
if (names.length === 0) throw new Error(`${process.argv[2]} exports nothing.`);
console.log(names.join(' '));
