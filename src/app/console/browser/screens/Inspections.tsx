import { useSignal } from "@preact/signals"
import type { Inspection, Project, QueuedInspections } from "../api/Contract.ts"
import { usePages, usePoll } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { refine, route } from "../Place.ts"
import { Act, Area, Download, Form } from "../parts/Acts.tsx"
import { none, plural, words } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Empty, Loaded, Outside, Tag, When } from "../parts/Status.tsx"
import { Details, Pages, Table } from "../parts/Tables.tsx"
import { hashOf, queryOf } from "../Routes.ts"

const scope = "rankings:write"

const verdicts = [
  { text: "All", value: "" },
  { text: "On Google", value: "PASS" },
  { text: "Not on Google", value: "NEUTRAL" },
  { text: "Error", value: "FAIL" }
]

const tones: Readonly<Record<string, "bad" | "good" | "quiet" | "warn">> = {
  FAIL: "bad",
  NEUTRAL: "warn",
  PASS: "good"
}

const Result = ({ of: { coverage_state, error, status, verdict } }: { readonly of: Inspection }) => (
  <>
    {verdict === null ? (
      <Tag text={status === "failed" ? "failed" : "waiting"} tone={status === "failed" ? "bad" : "quiet"} />
    ) : (
      <Tag
        text={verdicts.find(({ value }) => value === verdict)?.text ?? words(verdict.toLowerCase())}
        tone={tones[verdict] ?? "quiet"}
      />
    )}
    <small>{error?.message ?? coverage_state}</small>
  </>
)

/** Queues URLs, or the pages of the latest crawl. */
const Ask = ({ id, queued }: { readonly id: string; readonly queued: (made: QueuedInspections) => void }) => {
  const urls = useSignal("")
  const path = `/projects/${id}/inspections`
  return (
    <Form
      action="Inspect URLs"
      scope={scope}
      work={() =>
        ask<QueuedInspections>("POST", path, {
          body: { urls: urls.value.split("\n").flatMap((line) => line.trim() || []) }
        })
      }
      done={queued}
      beside={
        <Act
          action="Inspect the pages of the latest crawl"
          scope={scope}
          work={() => ask<QueuedInspections>("POST", path, { body: { from: "run" } })}
          done={queued}
        />
      }
    >
      <Area label="URLs, one per line" value={urls} hint="Google allows 2,000 URLs per property and day." />
    </Form>
  )
}

/** What Google says of the site's URLs, beside what the crawl found. */
export const Inspections = ({ site: { id } }: { readonly site: Project }) => {
  const verdict = route.value.query.get("verdict") ?? ""
  const path = `/projects/${id}/inspections${queryOf({ verdict })}`
  const inspections = usePages<Inspection>(path)
  const made = useSignal<QueuedInspections | null>(null)
  usePoll(inspections.reload, inspections.data?.some(({ status }) => status === "queued") === true ? 5 : null)
  const ask = (
    <Ask
      id={id}
      queued={(queued) => {
        made.value = queued
        inspections.reload()
      }}
    />
  )
  return (
    <>
      <p role="status" class="good">
        {made.value !== null &&
          `${plural(made.value.queued, "URL")} queued${made.value.joined > 0 ? `, ${plural(made.value.joined, "URL")} already in the queue` : ""}.`}
      </p>
      <Loaded read={inspections}>
        {(rows) =>
          rows.length === 0 && verdict === "" ? (
            <Empty title="No inspections yet">
              <p>
                See which pages Google has indexed, and why not, beside the crawl. This needs a{" "}
                <a href={hashOf(["sites", id, "settings", "search"])}>connection to Search Console</a>.
              </p>
              {ask}
            </Empty>
          ) : (
            <>
              <Choice label="Result" chosen={verdict} options={verdicts} choose={(verdict) => refine({ verdict })} />
              <div class="actions">
                <Download action="Export CSV" name="url-inspections.csv" path={path} />
              </div>
              {rows.length === 0 ? (
                <p>No URLs with this result.</p>
              ) : (
                <Table
                  caption="Inspected URLs, the latest first"
                  keyOf={({ id }) => id}
                  rows={rows}
                  columns={[
                    { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "URL" },
                    { cell: (one) => <Result of={one} />, name: "Google" },
                    {
                      cell: ({ agrees, indexability_state }) =>
                        indexability_state === null ? (
                          none
                        ) : (
                          <>
                            {words(indexability_state)}
                            {agrees === false && <small class="warn">differs from Google</small>}
                          </>
                        ),
                      name: "Crawl"
                    },
                    {
                      cell: ({ google_canonical, user_canonical }) =>
                        google_canonical === null || google_canonical === user_canonical ? (
                          none
                        ) : (
                          <Outside href={google_canonical} />
                        ),
                      kind: "address",
                      name: "Other canonical"
                    },
                    { cell: ({ last_crawl_at }) => <When at={last_crawl_at} />, name: "Crawled by Google" },
                    { cell: ({ inspected_at }) => <When at={inspected_at} />, name: "Inspected" }
                  ]}
                />
              )}
              <Pages name="inspections" pager={inspections.pager} />
              <Details summary="Inspect more URLs">{() => <div>{ask}</div>}</Details>
            </>
          )
        }
      </Loaded>
    </>
  )
}
