/** Platform adapter: the command `findable` for people with Node alone, which starts the Bun that the package brings along. */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("cli.js", import.meta.url))
const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe")
const child = spawn(bun, [program, ...process.argv.slice(2)], { stdio: "inherit" })

// A stop of the wrapper is a stop of the program.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)))
