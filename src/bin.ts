/** Platform adapter: the command of the package. It also works with Node alone, because it starts the Bun that the package brings, with settings for short processes. */
import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { shortLived } from "./foundation/terminal/ShortLived.ts"

const program = fileURLToPath(new URL("cli.ts", import.meta.url))
const bun = join(dirname(createRequire(import.meta.url).resolve("bun/package.json")), "bin/bun.exe")
const words = process.argv.slice(2)
// A server runs for months.
const settings = words[0] === "serve" ? {} : shortLived
const child = spawn(bun, [program, ...words], { env: { ...settings, ...process.env }, stdio: "inherit" })

// Signals to the wrapper go on to the program, which decides when it ends.
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128 + constants.signals[signal])))
child.on("error", ({ message }) => {
  process.stderr.write(
    `findable: Bun does not start (${message}). Install the package again, with its install scripts.\n`
  )
  process.exit(1)
})
