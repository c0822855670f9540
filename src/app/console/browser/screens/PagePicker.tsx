import { type Signal, useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import type { NewDesign, PerformanceRow } from "../api/Contract.ts"
import { useWindow } from "../api/Read.ts"
import type { Failure } from "../api/Send.ts"
import { readLines } from "../api/Session.ts"
import { wait } from "../Place.ts"
import { Input } from "../parts/Acts.tsx"
import { count, plural } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Failed } from "../parts/Status.tsx"
import { Pages } from "../parts/Tables.tsx"
import { matcherOf } from "./EffectWords.ts"

type Arm = NonNullable<NewDesign["treatment"]>

/** The pages that a step has chosen. */
interface Picked {
  readonly way: Signal<"pattern" | "pages">
  readonly pattern: Signal<string>
  readonly pages: Signal<ReadonlySet<string>>
}

/** The choice of pages, which begins with those of a design. */
export const usePicked = (arm: Arm | undefined): Picked => ({
  pages: useSignal<ReadonlySet<string>>(new Set(arm?.pages)),
  pattern: useSignal(arm?.pattern ?? ""),
  way: useSignal<"pattern" | "pages">(arm?.pages === undefined ? "pattern" : "pages")
})

/** The chosen pages as the API takes them. */
export const armOf = ({ pages, pattern, way }: Picked): Arm =>
  way.value === "pattern" ? { pattern: pattern.value.trim() } : { pages: [...pages.value] }

/** Most pages that the list shows; a pattern reaches the others. */
const most = 5000

/** The site’s pages with their latest 28 days, most impressions first. */
export const usePageTotals = (site: string) => {
  const rows = useSignal<ReadonlyArray<PerformanceRow> | null>(null)
  const failure = useSignal<Failure | null>(null)
  useLayoutEffect(() => {
    const controller = new AbortController()
    const close = wait()
    const found: Array<PerformanceRow> = []
    const keep = (ended: Failure | null) => {
      close()
      if (controller.signal.aborted && found.length < most) return
      failure.value = ended
      rows.value = found
    }
    void readLines<PerformanceRow>(`/projects/${site}/performance?by=page`, controller.signal, (row) => {
      found.push(row)
      if (found.length === most) controller.abort()
    }).then(keep)
    return () => {
      controller.abort()
      close()
    }
  }, [site])
  return { failure: failure.value, rows: rows.value }
}

const clicksOf = (rows: ReadonlyArray<PerformanceRow>) => rows.reduce((sum, { clicks }) => sum + clicks, 0)

/** Chooses pages by a pattern, or one by one from the site’s pages. */
export const Picker = ({
  failure,
  label,
  of: { pages, pattern, way },
  paths,
  rows
}: {
  readonly label: string
  readonly of: Picked
  readonly rows: ReadonlyArray<PerformanceRow>
  readonly failure: Failure | null
  /** The fields of the request. */
  readonly paths: ReadonlyArray<string>
}) => {
  const search = useSignal("")
  const fits = matcherOf(pattern.value.trim())
  const matched = rows.filter(({ key }) => fits.test(key))
  const text = search.value.trim().toLowerCase()
  const found = text === "" ? rows : rows.filter(({ key }) => key.toLowerCase().includes(text))
  const { pager, shown } = useWindow(found, 10)
  const turn = (keys: ReadonlyArray<string>, isOn: boolean) => {
    const next = new Set(pages.value)
    for (const key of keys) {
      if (isOn) next.add(key)
      else next.delete(key)
    }
    pages.value = next
  }
  return (
    <fieldset>
      <legend>{label}</legend>
      <Choice
        label={`${label}: how to choose`}
        chosen={way.value}
        options={[
          { text: "By pattern", value: "pattern" },
          { text: "From the list", value: "pages" }
        ]}
        choose={(value) => {
          way.value = value
        }}
      />
      {way.value === "pattern" ? (
        <Input
          label={`Pattern of ${label.toLowerCase()}`}
          value={pattern}
          isRequired={false}
          hint={
            pattern.value.trim() === ""
              ? "Such as /blog/*: the star stands for any text"
              : `Matches ${count(matched.length)} of ${plural(rows.length, "page")}, ${plural(clicksOf(matched), "click")} in 28 days`
          }
        />
      ) : (
        <>
          <Input label={`Search ${label.toLowerCase()}`} value={search} isRequired={false} />
          <div class="actions">
            <span>{plural(pages.value.size, "page")} selected</span>
            <button
              type="button"
              onClick={() =>
                turn(
                  found.map(({ key }) => key),
                  true
                )
              }
            >
              Select {text === "" ? "all" : "found"} ({count(found.length)})
            </button>
            <button type="button" disabled={pages.value.size === 0} onClick={() => turn([...pages.value], false)}>
              Clear
            </button>
          </div>
          <ul class="picks">
            {shown.map(({ clicks, key }) => (
              <li key={key}>
                <label>
                  <input
                    type="checkbox"
                    checked={pages.value.has(key)}
                    onChange={({ currentTarget }) => turn([key], currentTarget.checked)}
                  />
                  <span>{key}</span>
                  <small>{plural(clicks, "click")}</small>
                </label>
              </li>
            ))}
          </ul>
          <Pages name={label.toLowerCase()} pager={pager} />
        </>
      )}
      {paths.map((path) => (
        <Problem key={path} failure={failure} of={path} />
      ))}
    </fieldset>
  )
}

/** The API’s names of groups, periods and options in the words of the screen. */
const inWords = (message: string) =>
  message
    .replaceAll("in treatment", "in the test pages")
    .replaceAll("in control", "in the control pages")
    .replaceAll("pre_days", "baseline")
    .replace(/; or send \{"force": true\}.*$/, ", or start the experiment anyway")

/** The messages of the API about a field, where the field stands. */
export const Problem = ({ failure, of }: { readonly failure: Failure | null; readonly of: string }) => {
  const own = failure?.details.filter(({ path }) => isUnder(path, of)) ?? []
  return own.length === 0 ? null : (
    <div class="bad" role="alert">
      {own.map(({ message, path }) => (
        <p key={path}>
          {`${path.slice(of.length + 1).replaceAll(".", " ")} ${inWords(message)}`
            .trim()
            .replace(/^./, (first) => first.toUpperCase())}
        </p>
      ))}
    </div>
  )
}

/** A failure in the words of the screen. */
export const Refused = ({ failure }: { readonly failure: Failure }) => (
  <Failed failure={{ ...failure, message: inWords(failure.message) }} />
)

const isUnder = (path: string, of: string) => path === of || path.startsWith(`${of}.`)

/** A failure that belongs to none of the fields of a step. */
export const Rest = ({
  failure,
  shown
}: {
  readonly failure: Failure | null
  readonly shown: ReadonlyArray<string>
}) =>
  failure === null || failure.details.some(({ path }) => shown.some((of) => isUnder(path, of))) ? null : (
    <Refused failure={failure} />
  )
