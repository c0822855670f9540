import { readdirSync, readFileSync } from "node:fs"

const tick = 10_000

/** The fields of a process in Linux's /proc, from its state on; empty for a process that has ended since. */
const statOf = (pid: number | string): ReadonlyArray<string> => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  } catch {
    return []
  }
}

const ticksOf = (pid: number, fields: ReadonlyArray<number>): number => {
  const all = statOf(pid)
  return fields.reduce((sum, field) => sum + Number(all[field] ?? 0), 0) * tick
}

/** User and system time of a process with all its threads, in µs, as Linux accounts for it. */
export const cpuOf = (pid: number): number => ticksOf(pid, [11, 12])

/** The same for its ended children: a pool closes idle connections, and their backends end. */
export const cpuOfEnded = (pid: number): number => ticksOf(pid, [13, 14])

/** The processes of a PostgreSQL server. */
export const backendsOf = (postmaster: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statOf(name)[1] === String(postmaster))
    .map(Number)
