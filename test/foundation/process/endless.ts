/** A program that says what of its environment it has, and goes on until its input ends. */
console.log(JSON.stringify(process.env))
process.stdin.on("end", () => process.exit(0)).resume()
