import { closeSync, constants, openSync, readSync } from "node:fs"
import { join, resolve } from "node:path"
import { environmentOf, until } from "../node.ts"
import { byCode, percentile, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"

const requests = 12_000
const atOnce = 10
/** Milliseconds to wait for a response; later responses do not count. */
const atMost = 5000

const main = resolve(import.meta.dir, "../../../src/main.ts")
/** Whether a log line counts dropped lines, with any wording; times and fiber numbers are no counts. */
const countsDropped = (line: string) =>
  /\blines?\b/.test(line) &&
  /\b(?:dropped|lost|left out)\b/.test(line) &&
  /\b[1-9]\d*\b/.test(line.replace(/\b(?:timestamp|fiber)=\S+/g, ""))

/** A server whose standard error is a named pipe that it opens itself, like any program's. */
const serveInto = async (installation: Installation, path: string) => {
  const child = Bun.spawn(["sh", "-c", 'exec "$0" "$1" 2>"$2"', process.execPath, main, path], {
    env: environmentOf({ DATABASE_URL: installation.database.url() }),
    stderr: "ignore",
    stdout: "pipe"
  })
  installation.onClose(() => child.kill("SIGKILL"))
  let output = ""
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The node ended with ${await child.exited}: ${output}`)
    output += decoder.decode(value, { stream: true })
    const base = /runs at (http:\/\/[^\s,]+)/.exec(output)?.[1]
    if (base !== undefined) return base
  }
}

/** Reads everything in the pipe now. */
const readAll = (end: number) => {
  let text = ""
  const buffer = new Uint8Array(1 << 16)
  try {
    for (;;) text += new TextDecoder().decode(buffer.subarray(0, readSync(end, buffer)))
  } catch {
    return text
  }
}

/** A server whose log is not read continues to respond, and logs the number of dropped lines when there is room again. */
export const pipe = async (installation: Installation): Promise<Result> => {
  const path = join(installation.home, "stderr")
  Bun.spawnSync(["mkfifo", "-m", "666", path])
  // Open for reading and writing, so that the server finds a reader; reads do not block.
  const end = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  installation.onClose(() => closeSync(end))
  const base = await serveInto(installation, path)
  const counts: Record<string, number> = {}
  const times: Array<number> = []
  let asked = 0
  const ask = async () => {
    const at = performance.now()
    // The server does not log requests for /healthz.
    const status = await fetch(`${base}/not-there`, { signal: AbortSignal.timeout(atMost) }).then(
      async (response) => {
        await response.arrayBuffer()
        return `${response.status}`
      },
      () => "none"
    )
    times.push(performance.now() - at)
    counts[status] = (counts[status] ?? 0) + 1
  }
  const caller = async () => {
    // After fifty failures the others would fail too.
    while (asked++ < requests && (counts.none ?? 0) < 50) await ask()
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  let log = ""
  const counted = await until(
    async () => {
      log += readAll(end)
      // The next line fits.
      await fetch(`${base}/not-there`, { signal: AbortSignal.timeout(atMost) }).catch(() => 0)
      return log.split("\n").some(countsDropped)
    },
    10,
    500
  ).catch(() => undefined)
  const line = log.split("\n").find(countsDropped)
  const { 404: answered = 0 } = counts
  return {
    figures: {},
    laws: [
      {
        found: `${byCode(counts)}; p99 ${percentile(times, 0.99).toFixed(0)} ms`,
        holds: answered === requests,
        law: `${requests} requests are answered while the log is not read`
      },
      {
        found:
          counted === undefined ? `${log.split("\n").length} lines, none of them says it` : `${line}`.slice(0, 200),
        holds: counted !== undefined,
        law: "the count of dropped lines is logged when the log is read again"
      }
    ]
  }
}
