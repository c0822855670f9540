import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refused } from "../../../foundation/schema/DomainError.ts"
import * as Traced from "../../../foundation/schema/Traced.ts"
import { ImportFailed } from "../ImportFailed.ts"
import type { Level } from "../RawRow.ts"
import { rowsOfADay } from "../searchconsole/SearchAnalytics.ts"
import { DaysRepo, type Segments } from "./DaysRepo.ts"
import type { Source } from "./ImportsRepo.ts"
import { IncomingRepo } from "./IncomingRepo.ts"
import { MergeRepo } from "./MergeRepo.ts"
import { levelsOf, type Part } from "./Parts.ts"
import { TextsRepo } from "./TextsRepo.ts"

/** A day that was fetched from the Search Console API: its levels, and what it had of queries by country and device. */
export interface Synced {
  readonly day: string
  readonly levels: ReadonlyArray<Level>
  readonly segments: Segments
  /** Levels that the API's limit of rows cut off. */
  readonly cutOff: ReadonlyArray<Level>
}

/** What was staged, and how it is to be taken. */
interface Staged {
  readonly site: number
  readonly source: Source
  readonly parts: ReadonlyArray<Part>
  /** What a synchronisation fetched, which is covered even when it is empty. */
  readonly synced: Synced | undefined
  /** Whether a bulk export may leave less than half of a day. */
  readonly replaces: boolean
}

/** The result for one level: how many facts are new, changed or gone, and the days that are known from now on. */
interface Merged {
  readonly level: Level
  readonly changed: number
  readonly days: ReadonlyArray<string>
}

const levels = ["queries", "pages", "property"] as const

/** Bulk exports and synchronised days have all of a day; tables and answers of the API may be parts of one. */
const isWhole = (source: Source): boolean => source === "bigquery" || source === "sync"

/** The format that numbers come in: a synchronisation asks the API, whose answers may come as files too. */
const formatOf = (source: Source) => (source === "sync" ? "gsc-api" : source)

/** What an import knows of queries by country and device; null for parts, which say nothing about a whole day. */
const segmentsOf = ({ source, synced }: Staged) => (source === "bigquery" ? "bulk" : (synced?.segments ?? null))

/** Merges what is staged, level by level. */
export class Levels extends Effect.Service<Levels>()("rankings/import/Levels", {
  dependencies: [DaysRepo.Default, IncomingRepo.Default, MergeRepo.Default, TextsRepo.Default],
  effect: Effect.gen(function* () {
    const known = yield* DaysRepo
    const incoming = yield* IncomingRepo
    const merger = yield* MergeRepo
    const texts = yield* TextsRepo

    /** The error for a fact with two numbers names the second row, and the first beside it. */
    const refuseConflicts = Effect.fnUntraced(function* (
      of: Parameters<typeof incoming.conflicting>[0],
      parts: Staged["parts"]
    ) {
      const rows = yield* incoming.conflicting(of)
      const [first] = rows
      const second = rows.find(({ numbers }) => numbers !== first?.numbers)
      if (first === undefined || second === undefined) return
      const [before, here] = [first, second].map(
        ({ part }) => parts.find(({ number }) => number === part)?.table.file ?? ""
      )
      return yield* new ImportFailed({
        file: here ?? "",
        line: second.line,
        reason: `another number than ${before}:${first.line} has for the same day, query, page and dimensions`
      })
    })

    const refuseShrinking = Effect.fnUntraced(function* (target: Parameters<typeof merger.shrunk>[0]) {
      const found = Option.getOrUndefined(yield* merger.shrunk(target))
      if (found === undefined) return
      const { day, incoming, stored } = found
      return yield* new Refused({
        message: `${day} would shrink from ${stored} to ${incoming} impressions: import all files of a day in one call, or use --replace (replace=true over HTTP)`
      })
    })

    const mergeLevel = Effect.fnUntraced(function* (level: Level, staged: Staged) {
      const { parts, site, source, synced } = staged
      const mine = parts.filter((part) => levelsOf(part).includes(level))
      const whole = isWhole(source)
      const of = { level, parts: mine.length === 0 ? [-1] : mine.map(({ number }) => number), site }
      yield* incoming.open(of, source === "bigquery")
      if (!whole) yield* refuseConflicts(of, parts)
      const counted = yield* incoming.days(of)
      const found = counted.map(({ day }) => day)
      const days = synced?.levels.includes(level) === true ? [synced.day] : found
      const target = { days, exact: mine.every(({ table }) => table.exact), level, site, whole }
      if (source === "bigquery" && !staged.replaces && days.length > 0) yield* refuseShrinking(target)
      const segments = level === "queries" ? segmentsOf(staged) : null
      const cutOff =
        source === "sync"
          ? days.filter(() => synced?.cutOff.includes(level) === true)
          : counted.flatMap(({ day, rows }) => (source === "gsc-api" && rows >= rowsOfADay ? [day] : []))
      yield* known.cover({
        cutOff,
        days,
        level,
        segments,
        site,
        source: formatOf(source),
        synced: source === "sync",
        whole
      })
      const segmented = level === "queries" ? yield* known.segmented({ days, site }) : []
      const changed = yield* merger.merge({ ...target, segmented: segmented.map(({ day }) => day) })
      yield* incoming.close
      return { changed, days, level } satisfies Merged
    })

    /** Inside the import's transaction, under the lock of the site. */
    const merge = Traced.fn("Levels.merge")(function* (staged: Staged) {
      const all = staged.parts.flatMap(levelsOf)
      yield* texts.variants(staged.site)
      if (all.includes("queries")) yield* texts.pairs(staged.site)
      if (all.includes("pages")) yield* texts.pages(staged.site)
      const touched = levels.filter((level) => all.includes(level) || staged.synced?.levels.includes(level) === true)
      return yield* Effect.forEach(touched, (level) => mergeLevel(level, staged))
    })

    return { merge }
  })
}) {}
