import { type Signal, signal, useSignal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import type { RankingImport } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { isFresh, refine, route } from "../Place.ts"
import { Imported, Upload } from "../parts/Files.tsx"
import { Select } from "../parts/Forms.tsx"
import { queryOf } from "../Routes.ts"
import { GoodFor } from "./SearchNeeds.tsx"
import { faultOf } from "./SearchWords.ts"

/** The formats of files, by the value that the API takes. */
export const formats = {
  "gsc-csv": "Performance export (CSV or ZIP)",
  "gsc-api": "API response (JSON)",
  bigquery: "BigQuery bulk export"
}

/** The dates of a file without a date column: one day, or the first and the last one. */
const daysOf = (start: string, end: string) =>
  end === "" || end === start ? { date: start } : start === "" ? { date: end } : { end, start }

const DayField = ({
  label,
  note,
  of
}: {
  readonly label: string
  readonly note: string
  readonly of: Signal<string>
}) => {
  const field = useId()
  return (
    <div class="field">
      <label for={field}>{label}</label>
      <input
        id={field}
        type="date"
        aria-describedby={note}
        value={of.value}
        onInput={({ currentTarget }) => {
          of.value = currentTarget.value
        }}
      />
    </div>
  )
}

/** The name of the file that was sent last. */
const sentFile = signal<string | null>(null)

const pathOf = (site: string) => `/projects/${site}/rankings/imports`

/** A form for a chosen or dropped file; it takes the focus where the URL asks for it. */
export const ImportForm = ({ id }: { readonly id: string }) => {
  const [first, last] = [useSignal(""), useSignal("")]
  const format = useSignal("gsc-csv")
  const place = useRef<HTMLDivElement>(null)
  const note = useId()
  const isAsked = route.value.query.get("open") === "import"
  const isSeen = !isFresh.value
  useEffect(() => {
    if (isAsked && isSeen) place.current?.querySelector<HTMLInputElement>("input[type=file]")?.focus()
  }, [isAsked, isSeen])
  return (
    <div ref={place}>
      <h2>Import search data</h2>
      <Upload<RankingImport>
        label="Search Console export"
        action="Import file"
        kind="main"
        scope="rankings:write"
        path={`${pathOf(id)}${queryOf({ ...daysOf(first.value, last.value), format: format.value })}`}
        done={(made, file) => {
          sentFile.value = file.name
          refine({ import: made.id, open: null })
        }}
      >
        <div class="field">
          <Select
            label="File type"
            options={formats}
            value={format.value}
            choose={(chosen) => {
              format.value = chosen
            }}
          />
        </div>
        <DayField label="First day of the file" note={note} of={first} />
        <DayField label="Last day of the file" note={note} of={last} />
        <small id={note} class="quiet">
          Days are only for a file without a date column, such as a list of queries.
        </small>
      </Upload>
    </div>
  )
}

/** The import that the URL names; null without one, or until it is read. */
export const useImport = (id: string) => {
  const begun = route.value.query.get("import")
  const read = useRead<RankingImport>(begun === null ? null : `${pathOf(id)}/${encodeURIComponent(begun)}`)
  return { begun, made: read.data?.id === begun ? read.data : null, reload: read.reload }
}

/** The progress of the import that the URL names, then its result and the uses of its data. */
export const ImportResult = ({
  done,
  id,
  of: { begun, made, reload }
}: {
  readonly id: string
  readonly of: ReturnType<typeof useImport>
  readonly done: () => void
}) =>
  begun === null ? null : (
    <section class="result" aria-label="Import">
      <Imported<NonNullable<RankingImport["error"]>, RankingImport>
        key={begun}
        path={`${pathOf(id)}/${encodeURIComponent(begun)}`}
        note="Large files take some minutes. You can leave this page: the import continues."
        resultOf={({ message }) => message}
        faultOf={(error) => faultOf(error, sentFile.value)}
        done={() => {
          reload()
          done()
        }}
      />
      {made !== null && made.status === "completed" && <GoodFor id={id} of={made} />}
      {made !== null && made.finished_at !== null && (
        <button type="button" onClick={() => refine({ import: null })}>
          Close
        </button>
      )}
    </section>
  )

/** Imports a chosen or dropped file, with its progress and its result. */
export const Import = ({ done, id }: { readonly id: string; readonly done: () => void }) => {
  const made = useImport(id)
  return (
    <>
      <ImportResult id={id} of={made} done={done} />
      <ImportForm id={id} />
    </>
  )
}
