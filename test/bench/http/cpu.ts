import { readdirSync, readFileSync } from "node:fs"

const tick = 10_000

/** User and system time of a process with all its threads, in µs, as Linux accounts for it. */
export const cpuOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * tick
}

const parentOf = (pid: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]
  } catch {
    return undefined
  }
}

/** The processes of a PostgreSQL server. */
export const backendsOf = (postmaster: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === String(postmaster))
    .map(Number)
