/** Platform adapter: the command of the package. It also works with Node alone, because it starts the Bun that the package brings, with settings for short processes. */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { shortLived } from "./foundation/terminal/ShortLived.ts"

const program = fileURLToPath(new URL("cli.ts", import.meta.url))
const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe")
const child = spawn(bun, [program, ...process.argv.slice(2)], {
  env: { ...shortLived, ...process.env },
  stdio: "inherit"
})

// Signals to the wrapper go on to the program.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)))
