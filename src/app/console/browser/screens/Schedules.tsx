import { useSignal } from "@preact/signals"
import type { Run, Schedule } from "../api/Contract.ts"
import { usePages } from "../api/Read.ts"
import { ask } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { Act, Check, Form, Input } from "../parts/Acts.tsx"
import { plural, sentence } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Loaded, When } from "../parts/Status.tsx"
import { Details, Pages } from "../parts/Tables.tsx"
import { choicesWith, everyOf } from "./Intervals.ts"
import { RenderChoice } from "./RenderChoice.tsx"

const scope = "site-health:write"

type Terms = Pick<Schedule, "check_dead_links" | "check_external_links" | "every" | "max_pages" | "render">

const initial: Terms = {
  check_dead_links: true,
  check_external_links: false,
  every: "1d",
  max_pages: null,
  render: "auto"
}

/** The interval of a schedule and the request of its crawls. */
const ScheduleForm = ({
  action,
  done,
  method,
  of,
  path,
  url
}: {
  readonly action: string
  readonly method: "POST" | "PATCH"
  readonly path: string
  readonly of: Terms
  /** Where the crawls start. */
  readonly url: string
  readonly done: () => void
}) => {
  const every = useSignal(of.every)
  const start = useSignal(url)
  const pages = useSignal(of.max_pages === null ? "" : String(of.max_pages))
  const render = useSignal<Run["request"]["render"]>(of.render)
  const [dead, external] = [useSignal(of.check_dead_links), useSignal(of.check_external_links)]
  return (
    <Form
      action={action}
      scope={scope}
      work={() =>
        ask<Schedule>(method, path, {
          body: {
            ...(pages.value === "" ? {} : { max_pages: Number(pages.value) }),
            check_dead_links: dead.value,
            check_external_links: external.value,
            every: every.value,
            render: render.value,
            url: start.value
          }
        })
      }
      done={() => {
        announcement.value = "Schedule saved."
        done()
      }}
    >
      <div class="field">
        <Select
          label="Crawl this site"
          options={choicesWith(of.every)}
          value={every.value}
          choose={(chosen) => {
            every.value = chosen
          }}
        />
      </div>
      <Input label="Start URL" type="url" value={start} />
      <Input
        label="Maximum pages"
        type="number"
        value={pages}
        isRequired={of.max_pages !== null}
        hint={of.max_pages === null ? "The limit of your plan if you leave it empty." : undefined}
      />
      <div class="field">
        <RenderChoice
          render={render.value}
          choose={(chosen) => {
            render.value = chosen
          }}
        />
      </div>
      <Check
        label="Check for broken links"
        isOn={dead.value}
        turn={(isOn) => {
          dead.value = isOn
        }}
      />
      <Check
        label="Check external links"
        isOn={external.value}
        turn={(isOn) => {
          external.value = isOn
        }}
      />
    </Form>
  )
}

const Entry = ({ changed, schedule }: { readonly schedule: Schedule; readonly changed: () => void }) => {
  const { every, id, last_skipped, max_pages, next_at, project_id, render, url } = schedule
  const path = `/projects/${project_id}/site-health/schedules/${id}`
  return (
    <li>
      <p>
        {sentence(everyOf(every))} from <span class="address">{url}</span>
        {max_pages !== null && `, up to ${plural(max_pages, "page")}`}
        {render !== "auto" && `, ${render === "always" ? "all pages rendered" : "without rendering"}`}, next crawl{" "}
        <When at={next_at} />
      </p>
      <div class="actions">
        <Act action="Remove schedule" scope={scope} work={() => ask("DELETE", path)} done={changed} />
      </div>
      {last_skipped !== null && (
        <p class="warn">
          Skipped <When at={last_skipped.at} />: {last_skipped.reason}
        </p>
      )}
      <Details summary="Edit schedule">
        {() => (
          <ScheduleForm action="Save schedule" method="PATCH" path={path} of={schedule} url={url} done={changed} />
        )}
      </Details>
    </li>
  )
}

/** When the site is crawled automatically. */
export const Schedules = ({ id, url }: { readonly id: string; readonly url: string }) => {
  const path = `/projects/${id}/site-health/schedules`
  const schedules = usePages<Schedule>(path)
  const add = (
    <ScheduleForm action="Add schedule" method="POST" path={path} of={initial} url={url} done={schedules.reload} />
  )
  return (
    <>
      <h2>Crawl schedule</h2>
      <Loaded read={schedules}>
        {(all) =>
          all.length === 0 ? (
            <>
              <p>Crawl the site regularly to see new issues and fixes. The first crawl starts immediately.</p>
              {add}
            </>
          ) : (
            <>
              <ul>
                {all.map((schedule) => (
                  <Entry key={schedule.id} schedule={schedule} changed={schedules.reload} />
                ))}
              </ul>
              <Pages name="schedules" pager={schedules.pager} />
              <Details summary="Add a schedule">{() => <div>{add}</div>}</Details>
            </>
          )
        }
      </Loaded>
    </>
  )
}
