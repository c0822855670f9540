/** A program that prints its environment and its process id, and runs until its input ends. */
console.log(JSON.stringify({ environment: process.env, pid: process.pid }))
process.stdin.on("end", () => process.exit(0)).resume()
