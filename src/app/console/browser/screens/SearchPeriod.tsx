import type { PerformanceRow } from "../api/Contract.ts"
import type { Read } from "../api/Read.ts"
import { now, refine, route } from "../Place.ts"
import { dayAfter, isoDay } from "../parts/Formats.ts"
import { Choice, Select } from "../parts/Forms.tsx"
import { type Days, lengthOf, monthBefore, monthRanges, ranges } from "./SearchWords.ts"

const comparisons = { year: "Year earlier", none: "No comparison" }

/** The periods to compare with: a chosen month is compared with the month before, unless the reader chooses otherwise. */
const comparisonsOf = (month: Days | null) =>
  month === null
    ? { "": "Previous period", ...comparisons }
    : { "": "Previous month", previous: "Previous period", ...comparisons }

const isComparison = (options: Readonly<Record<string, string>>, text: string) => text in options

/** Chooses the days of the screen, and the period to compare with. */
export const Period = ({ days, latest }: { readonly days: Days; readonly latest: string }) => {
  const { query } = route.value
  const isOwn = query.get("start") !== null
  const options = comparisonsOf(monthBefore(query, days))
  const compare = query.get("compare") ?? ""
  const choose = (range: string) =>
    refine(range === "own" ? { end: days.end, range: null, start: days.start } : { end: null, range, start: null })
  const day = (name: "end" | "start") => (
    <input
      type="date"
      aria-label={name === "start" ? "First day" : "Last day"}
      value={days[name]}
      max={name === "start" ? days.end : latest}
      onChange={({ currentTarget: { value } }) => {
        if (value !== "") refine({ ...days, [name]: value })
      }}
    />
  )
  return (
    <div class="actions period">
      <Choice
        label="Period"
        chosen={isOwn ? "own" : (query.get("range") ?? "28d")}
        options={[...ranges, ...monthRanges(latest, isoDay(now.value)), { text: "Custom", value: "own" }]}
        choose={choose}
      />
      {isOwn && (
        <span>
          {day("start")} – {day("end")}
        </span>
      )}
      <span>
        <Select
          label="Compare with"
          options={options}
          value={isComparison(options, compare) ? compare : ""}
          choose={(compare) => refine({ compare })}
        />
      </span>
    </div>
  )
}

/** A read of days, each beside the day at its place in the month before. */
export const besideMonth = (
  own: Read<ReadonlyArray<PerformanceRow>>,
  earlier: Read<ReadonlyArray<PerformanceRow>>,
  days: Days,
  month: Days
): Read<ReadonlyArray<PerformanceRow>> => {
  const back = lengthOf({ end: days.start, start: month.start }) - 1
  const known = new Map(earlier.data?.map((row) => [row.key, row]))
  return {
    ...own,
    data:
      earlier.data === null
        ? null
        : (own.data?.map((row) => ({ ...row, previous: known.get(dayAfter(row.key, -back)) ?? null })) ?? null),
    failure: own.failure ?? earlier.failure,
    isBusy: own.isBusy || earlier.isBusy,
    meta: { ...own.meta, previous: { period: month, totals: earlier.meta.totals ?? null } }
  }
}
