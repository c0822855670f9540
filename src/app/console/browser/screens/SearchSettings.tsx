import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { Project, RankingImport, RankingSource, RankingSync } from "../api/Contract.ts"
import { useAction, usePages, usePoll, useRead } from "../api/Read.ts"
import { type Outcome, silent } from "../api/Send.ts"
import { ask, may } from "../api/Session.ts"
import { announcement, refine, route } from "../Place.ts"
import { Act, Confirm, Form, Input, Lacks } from "../parts/Acts.tsx"
import { FileForm } from "../parts/Files.tsx"
import { count, daysFrom, none, plural } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Failed, Loaded, Tag, When } from "../parts/Status.tsx"
import { Details, Facts, Pages, Table } from "../parts/Tables.tsx"
import { formats, Import } from "./Import.tsx"
import { choicesWith, everyOf } from "./Intervals.ts"
import { daysBetween } from "./SearchDays.ts"

const scope = "rankings:write"

const done = { data: null, failure: null, meta: {}, status: 200 } as const

const syncIntervals = { ...choicesWith("1d"), off: "only on request" }

/** The credentials of a key file: what Google wrote, as it is. */
const credentialsOf = async (file: File): Promise<object | null> => {
  const text = await file.text()
  const read: object | null = await Promise.resolve(text)
    .then(JSON.parse)
    .catch(() => null)
  return typeof read === "object" ? read : null
}

/** Connects the site by a key file, and starts the first sync. */
const Connect = ({
  begun,
  path,
  property: initial
}: {
  readonly path: string
  readonly property: string
  readonly begun: (sync: RankingSync) => void
}) => {
  const property = useSignal(initial)
  const every = useSignal("1d")
  const connecting = useAction(async (file: File): Promise<Outcome<RankingSync>> => {
    const credentials = await credentialsOf(file)
    if (credentials === null)
      return {
        failure: {
          ...silent(null),
          code: "validation_error",
          message: `${file.name} is not a key file: Google’s key files are JSON.`
        }
      }
    const made = await ask("PUT", path, { body: { credentials, every: every.value, property: property.value } })
    // The first sync is queued already, and this returns it.
    return made.failure === null ? ask<RankingSync>("POST", `${path}/sync`) : made
  }, begun)
  return (
    <>
      <div class="form">
        <Input
          label="Search Console property"
          value={property}
          hint={
            <>
              Such as <code>sc-domain:example.com</code> or <code>https://example.com/</code>.
            </>
          }
        />
        <div class="field">
          <Select
            label="Sync"
            options={syncIntervals}
            value={every.value}
            choose={(chosen) => {
              every.value = chosen
            }}
          />
        </div>
      </div>
      <FileForm
        label="Key file of a service account (JSON)"
        action="Connect Search Console"
        scope={scope}
        isBusy={connecting.isBusy}
        take={connecting.run}
      />
      <p class="quiet">
        In Search Console, add the email address of the service account as a user of the property. The key is stored
        encrypted and never shown.
      </p>
      {connecting.failure !== null && <Failed failure={connecting.failure} />}
    </>
  )
}

/** A sync in progress, then its result. */
const Sync = ({ ended, path }: { readonly path: string; readonly ended: () => void }) => {
  const read = useRead<RankingSync>(path)
  const isOpen = read.data !== null && read.data.finished_at === null
  const wasOpen = useRef(false)
  usePoll(read.reload, isOpen ? 1 : null)
  useEffect(() => {
    if (wasOpen.current && !isOpen) {
      announcement.value = "Sync finished."
      ended()
    }
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Loaded read={read}>
      {({ days_done, days_total, error, status }) =>
        isOpen ? (
          <>
            <p>
              {status === "queued" || days_total === null
                ? "Waiting to sync…"
                : `Syncing: ${count(days_done)} of ${plural(days_total, "day")}`}
            </p>
            <progress aria-label="Sync" {...(days_total === null ? {} : { max: days_total, value: days_done })} />
          </>
        ) : error === null ? (
          <p class="good">Synced {plural(days_done, "day")}.</p>
        ) : (
          <div class="failed" role="alert">
            <strong>Sync failed. Days that were already fetched stay.</strong>
            <p>{error.message}</p>
            <p class="quiet">
              <code>{error.code}</code>
            </p>
          </div>
        )
      }
    </Loaded>
  )
}

const Connected = ({
  begun,
  path,
  reload,
  source: { every_hours, last_error, next_sync_at, property, synced_at }
}: {
  readonly path: string
  readonly source: RankingSource
  readonly begun: (sync: RankingSync) => void
  readonly reload: () => void
}) => {
  const days = useSignal("28")
  return (
    <>
      <Facts
        of={[
          ["Property", <code key="property">{property}</code>],
          [
            "Interval",
            every_hours === null
              ? syncIntervals.off
              : everyOf(every_hours % 24 === 0 ? `${every_hours / 24}d` : `${every_hours}h`)
          ],
          ["Last sync", <When key="last" at={synced_at} />],
          ["Next sync", <When key="next" at={next_sync_at} />]
        ]}
      />
      {last_error !== null && <p class="bad">Last sync failed: {last_error}</p>}
      <Form
        action="Sync now"
        scope={scope}
        work={() => ask<RankingSync>("POST", `${path}/sync`, { body: { days: Number(days.value) } })}
        done={begun}
      >
        <Input
          label="Days back from the latest final day"
          type="number"
          value={days}
          hint="1 to 500. Days fetched before are skipped."
        />
      </Form>
      <Details summary="Replace the key, the property or the interval">
        {() => (
          <div>
            <Connect path={path} property={property} begun={begun} />
          </div>
        )}
      </Details>
      <Details summary="Disconnect Search Console…">
        {() => (
          <Confirm
            action="Disconnect Search Console"
            scope={scope}
            name={property}
            work={() => ask("DELETE", path)}
            done={reload}
          >
            <p>Deletes the key and the history of syncs. Imported values stay.</p>
          </Confirm>
        )}
      </Details>
    </>
  )
}

/** The connection that imports search data automatically. */
const Source = ({ site: { host, id } }: { readonly site: Project }) => {
  const path = `/projects/${id}/rankings/source`
  const source = useRead<RankingSource>(path)
  const sync = route.value.query.get("sync")
  const begun = (made: RankingSync) => {
    refine({ sync: made.id })
    source.reload()
  }
  return (
    <>
      <h2>Search Console</h2>
      {source.failure?.status === 404 ? (
        <>
          <p>Connect Search Console to import new data every day.</p>
          <Connect path={path} property={`sc-domain:${host.replace(/^www\.|:\d+$/g, "")}`} begun={begun} />
        </>
      ) : (
        <Loaded read={source}>
          {(data) => <Connected path={path} source={data} begun={begun} reload={source.reload} />}
        </Loaded>
      )}
      {sync !== null && (
        <Sync
          key={sync}
          path={`/projects/${id}/rankings/source/syncs/${encodeURIComponent(sync)}`}
          ended={source.reload}
        />
      )}
    </>
  )
}

const tones = { completed: "good", failed: "bad", queued: "quiet", running: "quiet" } as const

/** The imports of files. A removed one leaves the list; its values stay. */
const Imports = ({ id }: { readonly id: string }) => {
  const path = `/projects/${id}/rankings/imports`
  const imports = usePages<RankingImport>(path)
  return (
    <>
      <h2>Imports</h2>
      <Loaded read={imports}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No imports of files yet.</p>
          ) : (
            <>
              <p>Removing an import takes it off this list. Its values stay; to delete values, delete days below.</p>
              <Table
                caption="Imports of search data, the latest first"
                keyOf={({ id }) => id}
                rows={rows}
                columns={[
                  { cell: ({ created_at }) => <When at={created_at} />, name: "Imported" },
                  { cell: ({ status }) => <Tag text={status} tone={tones[status]} />, name: "Status" },
                  { cell: ({ format }) => formats[format], name: "File type" },
                  {
                    cell: ({ first_day, last_day }) =>
                      first_day === null || last_day === null ? none : daysFrom(first_day, last_day),
                    name: "Days"
                  },
                  { cell: (one) => count(one.rows), kind: "number", name: "Rows" },
                  {
                    cell: ({ error, message }) => (error === null ? message : <span class="bad">{error.message}</span>),
                    kind: "address",
                    name: "Result"
                  },
                  {
                    cell: (one) => (
                      <Act
                        action="Remove from list"
                        scope={scope}
                        blocked={one.finished_at === null ? "Import in progress" : null}
                        work={() => ask("DELETE", `/projects/${id}/rankings/imports/${one.id}`)}
                        done={imports.reload}
                      />
                    ),
                    name: "Action"
                  }
                ]}
              />
              <Pages name="imports" pager={imports.pager} />
            </>
          )
        }
      </Loaded>
    </>
  )
}

/** Seconds that the deletion of days waits for the rate limit at most, before it stops. */
const longestWait = 60

/** Deletes the days of a range, one request for each. */
const Days = ({ id }: { readonly id: string }) => {
  const [first, last] = [useSignal(""), useSignal("")]
  const progress = useSignal<{ readonly at: number; readonly deleted: number } | null>(null)
  const days = daysBetween(first.value, last.value)
  const work = async (): Promise<Outcome<null>> => {
    let deleted = 0
    for (const [at, day] of days.entries()) {
      progress.value = { at, deleted }
      for (;;) {
        const { failure } = await ask("DELETE", `/projects/${id}/rankings/days/${day}`)
        if (failure === null) deleted++
        // A day without data is gone already.
        if (failure === null || failure.status === 404) break
        if (failure.status !== 429 || failure.retryAfter === null || failure.retryAfter > longestWait)
          return { failure }
        const wait = failure.retryAfter * 1000
        await new Promise((resume) => setTimeout(resume, wait))
      }
    }
    progress.value = { at: days.length, deleted }
    return done
  }
  const { value: at } = progress
  return (
    <>
      <h2>Delete days</h2>
      <p>Delete all search data of wrong days. Import or sync these days again to replace them.</p>
      <Details summary="Delete days of search data…">
        {() => (
          <div>
            <div class="filters">
              <Input label="First day" type="date" value={first} />
              <Input label="Last day" type="date" value={last} />
            </div>
            {days.length > 0 && (
              <Confirm
                key={days.length}
                action={`Delete ${plural(days.length, "day")}`}
                scope={scope}
                name={`delete ${plural(days.length, "day")}`}
                work={work}
                done={() => {
                  announcement.value = "Days deleted."
                }}
              >
                <p>
                  Deletes every query, page, country and device of {daysFrom(days[0] ?? "", days.at(-1) ?? "")}, and
                  computes the rankings again. You cannot undo this.
                </p>
              </Confirm>
            )}
            {at !== null && (
              <>
                {at.at < days.length && <progress aria-label="Deleted days" max={days.length} value={at.at} />}
                <p role="status">
                  {plural(at.deleted, "day")} deleted
                  {at.at === days.length && `, ${count(at.at - at.deleted)} had no data`}.
                </p>
              </>
            )}
          </div>
        )}
      </Details>
    </>
  )
}

/** Where the search data of a site come from, and what leaves it again. */
export const SearchSettings = ({ site }: { readonly site: Project }) => {
  const imported = useSignal(0)
  return (
    <>
      <Source site={site} />
      <Import id={site.id} done={() => imported.value++} />
      {may(scope) ? (
        <Imports key={imported.value} id={site.id} />
      ) : (
        <>
          <h2>Imports</h2>
          <p>
            <Lacks scope={scope} />
          </p>
        </>
      )}
      <Days id={site.id} />
    </>
  )
}
