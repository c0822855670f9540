import { useSignal } from "@preact/signals"
import type { BacklinkImport } from "../api/Contract.ts"
import { usePages } from "../api/Read.ts"
import { may } from "../api/Session.ts"
import { refine, route } from "../Place.ts"
import { Imported, Upload } from "../parts/Files.tsx"
import { count, none } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Loaded, Tag, When } from "../parts/Status.tsx"
import { Pages, Table } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { failureOf, importedOf, tools } from "./LinkWords.ts"

const formats = { auto: "Detect from the columns", ...tools }

const statuses = { completed: "good", failed: "bad", queued: "quiet", running: "quiet" } as const

const Imports = ({ path }: { readonly path: string }) => {
  const imports = usePages<BacklinkImport>(path)
  return (
    <>
      <h2>Imports</h2>
      <Loaded read={imports}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No imports yet.</p>
          ) : (
            <Table
              caption="Imports of backlinks, the latest first"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                { cell: ({ created_at }) => <When at={created_at} />, name: "Imported" },
                { cell: ({ status }) => <Tag text={status} tone={statuses[status]} />, name: "Status" },
                {
                  cell: ({ format, source }) => (source === null ? formats[format] : tools[source]),
                  name: "File type"
                },
                { cell: ({ rows }) => count(rows), kind: "number", name: "Rows" },
                { cell: (one) => count(one.new), kind: "number", name: "New links" },
                {
                  cell: ({ error }) => (error === null ? none : <span class="bad">{failureOf(error)}</span>),
                  kind: "address",
                  name: "Problem"
                }
              ]}
            />
          )
        }
      </Loaded>
      <Pages name="imports" pager={imports.pager} />
    </>
  )
}

/** Imports files of backlinks, and lists the imports. */
export const LinkImports = ({ id }: { readonly id: string }) => {
  const format = useSignal("auto")
  const path = `/projects/${id}/backlinks/imports`
  const begun = route.value.query.get("import")
  const imported = useSignal(0)
  const renew = () => {
    imported.value++
  }
  return (
    <>
      <p>
        Search Console, Ahrefs, Semrush, Majestic and Moz export backlinks as a table. Findable then crawls each linking
        page and checks its link. A link that is missing from a file does not count as lost.
      </p>
      <Upload<BacklinkImport>
        label="Export of backlinks (CSV, GZIP or ZIP)"
        action="Import file"
        scope="backlinks:write"
        path={`${path}${queryOf({ format: format.value })}`}
        done={(made) => {
          refine({ import: made.id })
          renew()
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
      </Upload>
      {begun !== null && (
        <Imported<NonNullable<BacklinkImport["error"]>, BacklinkImport>
          key={begun}
          path={`${path}/${encodeURIComponent(begun)}`}
          resultOf={importedOf}
          faultOf={failureOf}
          done={renew}
        />
      )}
      {may("backlinks:write") && <Imports key={imported.value} path={path} />}
    </>
  )
}
