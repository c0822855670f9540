/**
 * Loaded into a server before its program: when a turn of the event loop was long, it prints on standard error the milliseconds of CPU time that its thread
 * used in that turn, by the accounting of the kernel (proc_pid_schedstat).
 */
import { readFileSync } from "node:fs"

const busy = () =>
  Number(readFileSync(`/proc/${process.pid}/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6

let before = busy()
setInterval(() => {
  const now = busy()
  if (now - before > 20) process.stderr.write(`busy for ${(now - before).toFixed(0)} ms\n`)
  before = now
}, 1).unref()
