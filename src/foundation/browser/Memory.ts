/** Platform adapter (`node:fs`): the memory of a browser's processes by `/proc` (Linux). Other systems have no bounds. */
import { readdirSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"

/** Bounds in bytes. */
export interface Bounds {
  /** One process of the browser, mostly a renderer. */
  readonly each: number
  /** The browser with all its processes. */
  readonly all: number
}

/** The exceeded bound: of one process, of the whole browser, or of one message. */
export type Excess = "each" | "all" | "message"

const watchEvery = "50 millis"

const read = (file: string): string =>
  Either.getOrElse(
    Either.try(() => readFileSync(file, "utf8")),
    () => ""
  )

const kilobytes = (text: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0) * 1024

/** The processes of this machine. Known parents are remembered, so that each look reads only new processes. */
export const processes = () => {
  let parents = new Map<number, number>()
  const parentOf = (pid: number) => {
    const known = parents.get(pid)
    // The name before the state may have spaces and brackets.
    return known ?? Number(/^.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1] ?? 0)
  }
  /** The descendants of a process, parents before children. */
  const startedBy = (root: number): ReadonlyArray<number> => {
    const names = Either.getOrElse(
      Either.try(() => readdirSync("/proc")),
      () => []
    )
    const pids = names.map(Number).filter(Number.isInteger)
    parents = new Map(pids.map((pid) => [pid, parentOf(pid)]))
    const children = Map.groupBy(pids, (pid) => parents.get(pid) ?? 0)
    const below = (pid: number): ReadonlyArray<number> =>
      (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)])
    return below(root)
  }
  return { startedBy }
}

/** An upper bound that is cheap to read: resident memory, shared pages counted in full. */
const residentOf = (pid: number): number => kilobytes(read(`/proc/${pid}/status`), "VmRSS")

/** Proportional memory of a process in bytes, else its unshared memory; 0 if unknown. */
export const memoryOf = (pid: number): number => {
  const proportional = kilobytes(read(`/proc/${pid}/smaps_rollup`), "Pss")
  if (proportional > 0) return proportional
  const status = read(`/proc/${pid}/status`)
  return kilobytes(status, "RssAnon") + kilobytes(status, "RssShmem")
}

const kill = (pid: number) => Effect.ignore(Effect.try(() => process.kill(pid, "SIGKILL")))

const sum = (pids: ReadonlyArray<number>, of: (pid: number) => number) =>
  pids.reduce((total, pid) => total + of(pid), 0)

/**
 * Watches a browser until the scope ends: above a bound it kills a process, or the whole browser, after `killed`. Each look counts resident memory first, and
 * reads the costly proportional memory only of processes above a bound.
 */
export const watch = (
  browser: number,
  { all, each }: Bounds,
  killed: (excess: Excess) => Effect.Effect<void>
): Effect.Effect<void, never, Scope.Scope> => {
  const { startedBy } = processes()
  /** Killed processes that have not ended yet. */
  let dying = new Set<number>()
  const end = (excess: Excess, pids: ReadonlyArray<number>) => {
    for (const pid of pids) dying.add(pid)
    return Effect.zipRight(killed(excess), Effect.forEach(pids, kill, { discard: true }))
  }
  const look = Effect.suspend(() => {
    if (dying.has(browser)) return Effect.void
    const started = startedBy(browser)
    dying = new Set(started.filter((pid) => dying.has(pid)))
    const running = started.filter((pid) => !dying.has(pid))
    const large = running.filter((pid) => residentOf(pid) > each && memoryOf(pid) > each)
    if (large.length > 0) return end("each", large)
    const whole = [browser, ...running]
    return sum(whole, residentOf) > all && sum(whole, memoryOf) > all ? end("all", whole) : Effect.void
  })
  return Effect.asVoid(Effect.forkScoped(Effect.repeat(look, Schedule.spaced(watchEvery))))
}
