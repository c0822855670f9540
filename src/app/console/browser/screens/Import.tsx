import { type Signal, useSignal } from "@preact/signals"
import { useEffect, useId, useRef } from "preact/hooks"
import type { RankingImport } from "../api/Contract.ts"
import { useAction, usePoll, useRead } from "../api/Read.ts"
import { upload } from "../api/Session.ts"
import { announcement, refine, route } from "../Place.ts"
import { share } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Failed, Loaded } from "../parts/Status.tsx"
import { queryOf } from "../Routes.ts"
import { faultOf } from "./SearchWords.ts"

const formats = {
  "gsc-csv": "Performance export (CSV or ZIP)",
  "gsc-api": "API response (JSON)",
  bigquery: "BigQuery bulk export"
}

/** An import in progress, then its result. */
const Begun = ({
  done,
  file,
  path
}: {
  readonly path: string
  /** Name of the file, if it was chosen on this screen. */
  readonly file: string | null
  readonly done: () => void
}) => {
  const read = useRead<RankingImport>(path)
  const isOpen = read.data !== null && read.data.finished_at === null
  const wasOpen = useRef(false)
  usePoll(read.reload, isOpen ? 1 : null)
  useEffect(() => {
    if (wasOpen.current && !isOpen) {
      announcement.value = "Import finished."
      done()
    }
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Loaded read={read}>
      {(begun) =>
        isOpen ? (
          <>
            <p>{begun.status === "queued" ? "Waiting to import…" : "Importing…"}</p>
            <progress aria-label="Import" />
          </>
        ) : begun.error === null ? (
          <p class="good">{begun.message}</p>
        ) : (
          <div class="failed" role="alert">
            <strong>Import failed. Nothing was imported.</strong>
            <p>{faultOf(begun.error, file)}</p>
            <p class="quiet">
              <code>{begun.error.code}</code>
            </p>
          </div>
        )
      }
    </Loaded>
  )
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
  const field = useId()
  const [first, last] = [useSignal(""), useSignal("")]
  const format = useSignal("gsc-csv")
  const isOver = useSignal(false)
  const part = useSignal(0)
  const name = useSignal<string | null>(null)
  const path = `/projects/${id}/rankings/imports`
  const begun = route.value.query.get("import")
  const sending = useAction(
    (file: File) => {
      part.value = 0
      return upload<RankingImport>(
        `${path}${queryOf({ ...daysOf(first.value, last.value), format: format.value })}`,
        file,
        (sent) => {
          part.value = sent
        }
      )
    },
    (made, file) => {
      name.value = file.name
      refine({ import: made.id })
    }
  )
  const over = (is: boolean) => (event: DragEvent) => {
    event.preventDefault()
    isOver.value = is
  }
  const send = (file: FormDataEntryValue | null | undefined) => {
    if (file instanceof File) sending.run(file)
  }
  return (
    <>
      <h2>Import search data</h2>
      <form
        class={isOver.value ? "drop over" : "drop"}
        onDragEnter={over(true)}
        onDragOver={over(true)}
        onDragLeave={over(false)}
        onDrop={(event) => {
          over(false)(event)
          send(event.dataTransfer?.files[0])
        }}
        onSubmit={(event) => {
          event.preventDefault()
          send(new FormData(event.currentTarget).get("file"))
        }}
      >
        <label for={`${field}-file`}>Search Console export</label>
        <input id={`${field}-file`} name="file" type="file" required />
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
        <button type="submit" disabled={sending.isBusy}>
          Import file
        </button>
        <span class="quiet">or drop it here</span>
      </form>
      {sending.isBusy && (
        <>
          <p>Uploading: {share(part.value)}</p>
          <progress aria-label="Upload" value={part.value} />
        </>
      )}
      {sending.failure !== null && <Failed failure={sending.failure} />}
      {begun !== null && !sending.isBusy && (
        <Begun key={begun} file={name.value} path={`${path}/${encodeURIComponent(begun)}`} done={done} />
      )}
    </>
  )
}
