/**
 * Loaded into a node before its program: tells on standard error for how many milliseconds of CPU time its thread was busy in one turn of the event loop,
 * by the kernel's own account (proc_pid_schedstat), when that was long.
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
