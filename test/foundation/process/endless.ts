/** A program that says what of its environment it has and its process id, and goes on until its input ends. */
console.log(JSON.stringify({ environment: process.env, pid: process.pid }))
process.stdin.on("end", () => process.exit(0)).resume()
