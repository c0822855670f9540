import type { EventType, Project, PublishedEvent } from "../api/Contract.ts"
import { useAll, usePages, useRead } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { Download } from "../parts/Acts.tsx"
import { absolute, dayAt } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Source } from "../parts/Source.tsx"
import { Empty, Loaded, Tag } from "../parts/Status.tsx"
import { Details, Page, Pages } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { toldOf } from "./EventWords.ts"
import { titleOf } from "./WebhookWords.ts"

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })

/** The events of each day, in the order of the list. */
export const byDay = (
  events: ReadonlyArray<PublishedEvent>
): ReadonlyArray<readonly [day: string, events: ReadonlyArray<PublishedEvent>]> => [
  ...Map.groupBy(events, ({ created_at }) => dayAt(Date.parse(created_at)))
]

const Event = ({
  event,
  siteOf
}: {
  readonly event: PublishedEvent
  readonly siteOf: (id: string) => string | undefined
}) => {
  const { href, site, text, tone } = toldOf(event)
  const at = Date.parse(event.created_at)
  const name = site === null ? undefined : siteOf(site)
  return (
    <li>
      <time dateTime={event.created_at} title={absolute(at)}>
        {clock.format(at)}
      </time>
      <div>
        <p>{href === null ? text : <a href={href}>{text}</a>}</p>
        <div class="about">
          <Tag text={titleOf(event.type)} tone={tone} /> <code>{event.type}</code>{" "}
          {name !== undefined && site !== null && <a href={`#/sites/${site}`}>{name}</a>}
        </div>
        <Details summary={<small>Data</small>}>
          {() => <Source label={`Data of ${event.id}`} text={JSON.stringify(event, null, 2)} />}
        </Details>
      </div>
    </li>
  )
}

/** The events of the account as a feed, latest first. */
export const Events = () => {
  const { query } = route.value
  const [type, project] = [query.get("type") ?? "", query.get("site") ?? ""]
  const filters = queryOf({ project_id: project, type })
  const events = usePages<PublishedEvent>(`/events${filters}`)
  const kinds = useRead<ReadonlyArray<EventType>>("/event-types")
  const sites = useAll<Project>("/projects")
  const siteOf = (id: string) => sites.data?.find((site) => site.id === id)?.name
  return (
    <Page title="Events">
      <div class="filters">
        <div class="field">
          <Select
            label="Site"
            value={project}
            options={{ "": "All sites", ...Object.fromEntries((sites.data ?? []).map(({ id, name }) => [id, name])) }}
            choose={(site) => refine({ site })}
          />
        </div>
        <div class="field">
          <Select
            label="Event type"
            value={type}
            options={{
              "": "All types",
              ...Object.fromEntries(
                (kinds.data ?? []).flatMap(({ name, subscribable }) =>
                  subscribable ? [[name, `${titleOf(name)} (${name})`]] : []
                )
              )
            }}
            choose={(type) => refine({ type })}
          />
        </div>
        <span class="push actions">
          <Download action="Download CSV" name="events.csv" path={`/events${filters}`} />{" "}
          <Download
            action="Download JSON"
            accept="application/x-ndjson"
            name="events.ndjson"
            path={`/events${filters}`}
          />
        </span>
      </div>
      <Loaded read={events}>
        {(rows) =>
          rows.length === 0 ? (
            filters === "" ? (
              <Empty title="No events yet">
                Events tell you what happened to your sites: finished crawls, dropped rankings, lost links.{" "}
                <a href="#/sites">Crawl a site</a> to see the first ones.
              </Empty>
            ) : (
              <p>No events match these filters.</p>
            )
          ) : (
            <>
              {byDay(rows).map(([day, events]) => (
                <section key={day}>
                  <h2>{day}</h2>
                  <ol class="feed">
                    {events.map((event) => (
                      <Event key={event.id} event={event} siteOf={siteOf} />
                    ))}
                  </ol>
                </section>
              ))}
              <Pages name="events" pager={events.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
