import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import type { Run, Schedule as ScheduleType } from "../api/Contract.ts"
import { useAction, useRead } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { plural, sentence } from "../parts/Formats.ts"
import { Failed, Loaded, When } from "../parts/Status.tsx"
import { Missing, Page } from "../parts/Tables.tsx"
import { RenderChoice } from "./RenderChoice.tsx"
import type { SiteProperties } from "./SiteScreens.tsx"

const intervals = {
  "6h": "every 6 hours",
  "12h": "every 12 hours",
  "1d": "every day",
  "7d": "every week",
  "30d": "every 30 days"
}

const wordsOf = (every: string) => Object.entries(intervals).find(([value]) => value === every)?.[1] ?? `every ${every}`

const Entry = ({ changed, schedule }: { readonly schedule: ScheduleType; readonly changed: () => void }) => {
  const { every, id, last_skipped, max_pages, next_at, project_id, render, url } = schedule
  const removing = useAction(() => ask("DELETE", `/projects/${project_id}/site-health/schedules/${id}`), changed)
  return (
    <li>
      {sentence(wordsOf(every))} from <span class="address">{url}</span>
      {max_pages !== null && `, up to ${plural(max_pages, "page")}`}
      {render !== "auto" && `, ${render === "always" ? "all pages rendered" : "without rendering"}`}, next crawl{" "}
      <When at={next_at} />{" "}
      <button type="button" disabled={removing.isBusy} onClick={removing.run}>
        Remove schedule
      </button>
      {last_skipped !== null && (
        <p class="warn">
          Skipped <When at={last_skipped.at} />: {last_skipped.reason}
        </p>
      )}
      {removing.failure !== null && <Failed failure={removing.failure} />}
    </li>
  )
}

const Add = ({ added, id }: { readonly id: string; readonly added: () => void }) => {
  const field = useId()
  const every = useSignal("1d")
  const render = useSignal<Run["request"]["render"]>("auto")
  const adding = useAction(
    () => ask("POST", `/projects/${id}/site-health/schedules`, { body: { every: every.value, render: render.value } }),
    added
  )
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault()
        adding.run()
      }}
    >
      <label for={field}>Crawl this site</label>
      <div>
        <select
          id={field}
          value={every.value}
          onChange={({ currentTarget }) => {
            every.value = currentTarget.value
          }}
        >
          {Object.entries(intervals).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <RenderChoice render={render} />
        <button type="submit" disabled={adding.isBusy}>
          Add schedule
        </button>
      </div>
      {adding.failure !== null && <Failed failure={adding.failure} />}
    </form>
  )
}

/** When the site is crawled automatically. */
const Schedule = ({ id }: { readonly id: string }) => {
  const schedules = useRead<ReadonlyArray<ScheduleType>>(`/projects/${id}/site-health/schedules?limit=25`)
  return (
    <>
      <h2>Schedule</h2>
      <Loaded read={schedules}>
        {(all) =>
          all.length === 0 ? (
            <Add id={id} added={schedules.reload} />
          ) : (
            <ul>
              {all.map((schedule) => (
                <Entry key={schedule.id} schedule={schedule} changed={schedules.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}

/** The settings of a site. */
export const SiteSettings = ({ rest, site }: SiteProperties) =>
  rest.length > 0 ? (
    <Missing />
  ) : (
    <Page title={`Settings of ${site.name}`}>
      <Schedule id={site.id} />
    </Page>
  )
