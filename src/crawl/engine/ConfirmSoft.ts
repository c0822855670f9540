import * as Effect from "effect/Effect"
import { isSuspect, softSignals } from "../analysis/SoftNotFound.ts"
import type { UrlRecord } from "../frontier/UrlRecord.ts"
import type { GateShut } from "../politeness/HostGate.ts"
import type { Visit } from "../visit/Visit.ts"
import { visit } from "../visit/Visitor.ts"
import type { Run } from "./Run.ts"

const signalsOf = ({ found, frontier }: Run, seen: Visit) => {
  const home = frontier.find(found.start.href)?.visit?.facts ?? null
  return seen.facts === null ? [] : softSignals(seen.facts, seen.bytes, found.probe, home)
}

const isStart = ({ found }: Run, record: UrlRecord): boolean => record.url === found.start.href

/** Fetches each suspected soft 404 once more; only what shows the signs twice is called one. */
export const confirmSoft = (run: Run): Effect.Effect<void, GateShut> => {
  const suspects = run.frontier
    .records()
    .filter((record) => !isStart(run, record) && record.visit !== null && isSuspect(signalsOf(run, record.visit)))
  return Effect.forEach(
    suspects,
    (record) =>
      Effect.gen(function* () {
        const again = yield* visit(run, run.found.start, new URL(record.url), run.found.jar)
        const signals = signalsOf(run, again.visit)
        if (isSuspect(signals)) run.found.soft.set(record.url, signals.map(({ text }) => text).join("; "))
      }),
    { concurrency: run.options.perHost ?? 6, discard: true }
  )
}
