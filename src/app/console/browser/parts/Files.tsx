import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { useAction, usePoll, useRead } from "../api/Read.ts"
import { may, upload } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { Lacks } from "./Acts.tsx"
import { share } from "./Formats.ts"
import { Failed, Loaded } from "./Status.tsx"

interface FileProperties {
  /** The name of the file. */
  readonly label: string
  /** The text of the button. */
  readonly action: string
  /** The scope that the request needs. */
  readonly scope: string
  /** The files to offer, as of the attribute `accept`. */
  readonly accept?: string
  /** `main` for the main action of its panel. */
  readonly kind?: "main"
  /** Further fields of the request. */
  readonly children?: ComponentChildren
}

/** A form with one file, which a reader chooses or drops. */
export const FileForm = ({
  accept,
  action,
  children,
  isBusy,
  kind,
  label,
  scope,
  take
}: FileProperties & { readonly isBusy: boolean; readonly take: (file: File) => void }) => {
  const id = useId()
  const isOver = useSignal(false)
  const isAllowed = may(scope)
  const over = (is: boolean) => (event: DragEvent) => {
    event.preventDefault()
    isOver.value = is && isAllowed
  }
  const send = (file: FormDataEntryValue | null | undefined) => {
    if (file instanceof File && isAllowed && !isBusy) take(file)
  }
  return (
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
      <div class="field file">
        <label for={id}>{label}</label>
        <div>
          <input id={id} name="file" type="file" accept={accept} required />
          <span class="quiet">or drop it here</span>
        </div>
      </div>
      {children}
      <button type="submit" class={kind} disabled={isBusy || !isAllowed}>
        {action}
      </button>
      <Lacks scope={scope} />
    </form>
  )
}

/** Uploads a file with its progress. */
export const Upload = <T,>({
  done,
  path,
  ...form
}: FileProperties & {
  /** The endpoint, with its parameters. */
  readonly path: string
  readonly done: (made: T, file: File) => void
}) => {
  const part = useSignal(0)
  const sending = useAction((file: File) => {
    part.value = 0
    return upload<T>(path, file, (sent) => {
      part.value = sent
    })
  }, done)
  return (
    <>
      <FileForm {...form} isBusy={sending.isBusy} take={sending.run} />
      {sending.isBusy && (
        <>
          <p>Uploading: {share(part.value)}</p>
          <progress aria-label="Upload" value={part.value} />
        </>
      )}
      {sending.failure !== null && <Failed failure={sending.failure} />}
    </>
  )
}

interface ImportError {
  readonly code: string
  readonly message: string
}

interface Import<E extends ImportError> {
  readonly status: "queued" | "running" | "completed" | "failed"
  readonly error: E | null
  readonly finished_at: string | null
}

/** An import in progress, then its result. */
export const Imported = <E extends ImportError, T extends Import<E>>({
  done,
  faultOf,
  note,
  path,
  resultOf
}: {
  readonly path: string
  /** A line below the progress. */
  readonly note?: string
  /** The result of a completed import, in words. */
  readonly resultOf: (made: T) => ComponentChildren
  /** The problem of a failed one, in words. */
  readonly faultOf: (error: E) => string
  readonly done: () => void
}) => {
  const read = useRead<T>(path)
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
            {note !== undefined && <p class="quiet">{note}</p>}
          </>
        ) : begun.error === null ? (
          <p class="good">{resultOf(begun)}</p>
        ) : (
          <div class="failed" role="alert">
            <strong>Import failed. Nothing was imported.</strong>
            <p>{faultOf(begun.error)}</p>
            <p class="quiet">
              <code>{begun.error.code}</code>
            </p>
          </div>
        )
      }
    </Loaded>
  )
}
