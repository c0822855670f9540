import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"
import { useAction } from "../api/Action.ts"
import type { Schedule as ScheduleType } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { ask } from "../api/Request.ts"
import { Failed } from "../parts/Failed.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { When } from "../parts/When.tsx"

const intervals = {
  "6h": "every 6 hours",
  "12h": "every 12 hours",
  "1d": "every day",
  "7d": "every week",
  "30d": "every 30 days"
}

const wordsOf = (every: string) => Object.entries(intervals).find(([value]) => value === every)?.[1] ?? `every ${every}`

const Entry = ({ changed, schedule }: { readonly schedule: ScheduleType; readonly changed: () => void }) => {
  const { every, id, last_skipped, max_pages, next_at, project_id, url } = schedule
  const removing = useAction(() => ask("DELETE", `/projects/${project_id}/site-health/schedules/${id}`), changed)
  return (
    <li>
      {wordsOf(every)} from <span class="address">{url}</span>
      {max_pages !== null && `, ${max_pages} pages at most`}, next <When at={next_at} />{" "}
      <button type="button" disabled={removing.isBusy} onClick={removing.run}>
        Remove
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
  const adding = useAction(
    () => ask("POST", `/projects/${id}/site-health/schedules`, { body: { every: every.value } }),
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
      <label for={field}>Check this site</label>
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
        <button type="submit" disabled={adding.isBusy}>
          Schedule
        </button>
      </div>
      {adding.failure !== null && <Failed failure={adding.failure} />}
    </form>
  )
}

/** When the site is checked by itself. */
export const Schedule = ({ id }: { readonly id: string }) => {
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
