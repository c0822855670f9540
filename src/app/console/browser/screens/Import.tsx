import { type Signal, useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import type { RankingImport } from "../api/Contract.ts"
import { refine, route } from "../Place.ts"
import { Imported, Upload } from "../parts/Files.tsx"
import { Select } from "../parts/Forms.tsx"
import { queryOf } from "../Routes.ts"
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

const DayField = ({ label, of }: { readonly label: string; readonly of: Signal<string> }) => {
  const field = useId()
  return (
    <>
      <label for={field}>{label}</label>
      <input
        id={field}
        type="date"
        value={of.value}
        onInput={({ currentTarget }) => {
          of.value = currentTarget.value
        }}
      />
    </>
  )
}

/** Imports a chosen or dropped file, with its progress. */
export const Import = ({ done, id }: { readonly id: string; readonly done: () => void }) => {
  const [first, last] = [useSignal(""), useSignal("")]
  const format = useSignal("gsc-csv")
  const name = useSignal<string | null>(null)
  const path = `/projects/${id}/rankings/imports`
  const begun = route.value.query.get("import")
  return (
    <>
      <h2>Import search data</h2>
      <Upload<RankingImport>
        label="Search Console export"
        action="Import file"
        scope="rankings:write"
        path={`${path}${queryOf({ ...daysOf(first.value, last.value), format: format.value })}`}
        done={(made, file) => {
          name.value = file.name
          refine({ import: made.id })
        }}
      >
        <Select
          label="File type"
          options={formats}
          value={format.value}
          choose={(chosen) => {
            format.value = chosen
          }}
        />
        <DayField label="First day (only if the file has no date column)" of={first} />
        <DayField label="Last day (for a date range)" of={last} />
      </Upload>
      {begun !== null && (
        <Imported<NonNullable<RankingImport["error"]>, RankingImport>
          key={begun}
          path={`${path}/${encodeURIComponent(begun)}`}
          resultOf={({ message }) => message}
          faultOf={(error) => faultOf(error, name.value)}
          done={done}
        />
      )}
    </>
  )
}
