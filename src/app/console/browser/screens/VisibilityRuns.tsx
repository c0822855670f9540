import { useSignal } from "@preact/signals"
import type { GeoEstimate, GeoImport, GeoRun, GeoSchedule } from "../api/Contract.ts"
import { useAction, usePages, usePoll, useRead } from "../api/Read.ts"
import { silent } from "../api/Send.ts"
import { ask } from "../api/Session.ts"
import { announcement } from "../Place.ts"
import { Act, Check, Form, Input } from "../parts/Acts.tsx"
import { FileForm } from "../parts/Files.tsx"
import { absolute, count, plural, sentence } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Failed, Loaded, Tag, When } from "../parts/Status.tsx"
import { type Crumb, Details, Facts, Page, Pages, Table } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { choicesWith, everyOf } from "./Intervals.ts"
import { Answers } from "./VisibilityAnswers.tsx"
import { endOf, engines, everyEngine, pointsOf, priceOf, usd } from "./VisibilityWords.ts"

const scope = "geo:write"

const tones = { completed: "good", failed: "bad", partial: "warn", queued: "quiet", running: "quiet" } as const

const isOpen = ({ finished_at }: GeoRun) => finished_at === null

const namesOf = (of: ReadonlyArray<GeoRun["engines"][number]>) => of.map((engine) => engines[engine]).join(", ")

const Status = ({ of }: { readonly of: GeoRun }) => (
  <>
    <Tag text={of.status} tone={tones[of.status]} />
    <small>{endOf(of)}</small>
  </>
)

interface Terms {
  readonly engines: ReadonlyArray<GeoRun["engines"][number]>
  readonly repeats: number
}

/** The engines and repeats of a run or a schedule. */
const useTerms = (initial: Terms) => {
  const [chosen, repeats] = [useSignal(initial.engines), useSignal(String(initial.repeats))]
  const turn = (engine: Terms["engines"][number]) => (isOn: boolean) => {
    chosen.value = everyEngine.filter((one) => (one === engine ? isOn : chosen.value.includes(one)))
  }
  return {
    fields: (
      <>
        <fieldset aria-label="Engines">
          {everyEngine.map((engine) => (
            <Check key={engine} label={engines[engine]} isOn={chosen.value.includes(engine)} turn={turn(engine)} />
          ))}
        </fieldset>
        <Input label="Repeats of each prompt" type="number" value={repeats} hint="1 to 10 per engine; 5 by default." />
      </>
    ),
    blocked: chosen.value.length === 0 ? "Select an engine" : null,
    terms: { engines: chosen.value, repeats: Number(repeats.value) }
  }
}

/** Starts a run after its price was shown. */
const Start = ({ id, started }: { readonly id: string; readonly started: () => void }) => {
  const { blocked, fields, terms } = useTerms({ engines: ["openai"], repeats: 5 })
  const price = useSignal<{ readonly of: string; readonly is: GeoEstimate } | null>(null)
  const path = `/projects/${id}/geo/runs`
  const key = JSON.stringify(terms)
  const shown = price.value?.of === key ? price.value.is : null
  return (
    <Form
      action="Show price"
      scope={scope}
      blocked={blocked}
      work={() => ask<GeoEstimate>("POST", path, { body: { ...terms, dry_run: true } })}
      done={(is) => {
        price.value = { is, of: key }
      }}
      beside={
        shown !== null && (
          <Act
            action="Start run"
            kind="main"
            blocked={shown.calls === 0 ? "Add prompts first" : null}
            work={() => ask<GeoRun>("POST", path, { body: terms })}
            done={() => {
              price.value = null
              announcement.value = "Run started."
              started()
            }}
          />
        )
      }
    >
      {fields}
      <p role="status">{shown === null || shown.calls === 0 ? "" : priceOf(shown)}</p>
    </Form>
  )
}

const ScheduleForm = ({
  action,
  done,
  every,
  path,
  terms: initial,
  method
}: {
  readonly action: string
  readonly method: "POST" | "PATCH"
  readonly path: string
  readonly every: string
  readonly terms: Terms
  readonly done: () => void
}) => {
  const { blocked, fields, terms } = useTerms(initial)
  const chosen = useSignal(every)
  return (
    <Form
      action={action}
      scope={scope}
      blocked={blocked}
      work={() => ask(method, path, { body: { ...terms, every: chosen.value } })}
      done={done}
    >
      <div class="field">
        <Select
          label="Interval"
          options={choicesWith(every)}
          value={chosen.value}
          choose={(value) => {
            chosen.value = value
          }}
        />
      </div>
      {fields}
    </Form>
  )
}

const Schedules = ({ id, started }: { readonly id: string; readonly started: () => void }) => {
  const path = `/projects/${id}/geo/schedules`
  const schedules = usePages<GeoSchedule>(path)
  const changed = () => {
    schedules.reload()
    started()
  }
  return (
    <Loaded read={schedules}>
      {(rows) => (
        <>
          {rows.length === 0 && <p>No schedules yet.</p>}
          <ul>
            {rows.map((schedule) => (
              <li key={schedule.id}>
                <p>
                  {sentence(everyOf(schedule.every))}: {namesOf(schedule.engines)}, {plural(schedule.repeats, "repeat")}
                  , next run <When at={schedule.next_at} />
                </p>
                <div class="actions">
                  <Act
                    action="Remove schedule"
                    scope={scope}
                    work={() => ask("DELETE", `/projects/${id}/geo/schedules/${schedule.id}`)}
                    done={schedules.reload}
                  />
                </div>
                {schedule.last_skipped !== null && (
                  <p class="warn">
                    Skipped <When at={schedule.last_skipped.at} />: {schedule.last_skipped.reason}
                  </p>
                )}
                <Details summary="Edit schedule">
                  {() => (
                    <ScheduleForm
                      action="Save schedule"
                      method="PATCH"
                      path={`/projects/${id}/geo/schedules/${schedule.id}`}
                      every={schedule.every}
                      terms={schedule}
                      done={schedules.reload}
                    />
                  )}
                </Details>
              </li>
            ))}
          </ul>
          <Pages name="schedules" pager={schedules.pager} />
          <Details summary="Add a schedule">
            {() => (
              <div>
                <p>The first run starts immediately, within the server’s daily budget.</p>
                <ScheduleForm
                  action="Add schedule"
                  method="POST"
                  path={`/projects/${id}/geo/schedules`}
                  every="7d"
                  terms={{ engines: ["openai"], repeats: 5 }}
                  done={changed}
                />
              </div>
            )}
          </Details>
        </>
      )}
    </Loaded>
  )
}

/** Imports the measurements of another tool. */
const Measurements = ({ id }: { readonly id: string }) => {
  const made = useSignal<GeoImport | null>(null)
  const sending = useAction(
    async (file: File) => {
      const text = await file.text()
      const body: object | null = await Promise.resolve(text)
        .then(JSON.parse)
        .catch(() => null)
      return Array.isArray(body)
        ? ask<GeoImport>("POST", `/projects/${id}/geo/imports`, { body })
        : {
            failure: {
              ...silent(null),
              code: "validation_error",
              message: `${file.name} is not a JSON array with one object per engine.`
            }
          }
    },
    (data) => {
      made.value = data
    }
  )
  return (
    <div>
      <p>
        A JSON array with one object per engine: <code>engine</code>, <code>sentiment</code>, <code>citation_rate</code>
        , <code>answers</code>, <code>cited</code>.
      </p>
      <FileForm
        label="Measurements (JSON)"
        action="Import measurements"
        scope={scope}
        isBusy={sending.isBusy}
        take={sending.run}
      />
      {sending.failure !== null && <Failed failure={sending.failure} />}
      <p class="good" role="status">
        {made.value !== null &&
          `Imported ${plural(made.value.readings, "engine")}. ${
            made.value.changed.length === 0
              ? "No metric changed by 5 points or more."
              : made.value.changed
                  .map(({ delta, engine, metric }) => `${engine}: ${sentence(metric)} ${pointsOf(delta / 100)}`)
                  .join(", ")
          }`}
      </p>
    </div>
  )
}

/** The runs of a site, a new one with its price, and schedules. */
export const Runs = ({ id }: { readonly id: string }) => {
  const runs = usePages<GeoRun>(`/projects/${id}/geo/runs`)
  usePoll(runs.reload, runs.data?.some(isOpen) === true ? 3 : null)
  return (
    <>
      <h2>Start a run</h2>
      <Start id={id} started={runs.reload} />
      <h2>Runs</h2>
      <Loaded read={runs}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No runs yet.</p>
          ) : (
            <Table
              caption="AI visibility runs, the latest first"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                {
                  cell: (run) => (
                    <a href={hashOf(["sites", id, "ai", "runs", run.id])}>{absolute(Date.parse(run.created_at))}</a>
                  ),
                  name: "Started"
                },
                { cell: (run) => <Status of={run} />, name: "Status" },
                { cell: (run) => namesOf(run.engines), name: "Engines" },
                { cell: ({ repeats }) => count(repeats), kind: "number", name: "Repeats" },
                {
                  cell: ({ answered, planned }) => `${count(answered)} of ${count(planned)}`,
                  kind: "number",
                  name: "Answers"
                },
                { cell: ({ errors }) => count(errors), kind: "number", name: "Errors" },
                { cell: ({ cost_usd }) => usd(cost_usd), kind: "number", name: "Cost" }
              ]}
            />
          )
        }
      </Loaded>
      <Pages name="runs" pager={runs.pager} />
      <h2>Schedules</h2>
      <Schedules id={id} started={runs.reload} />
      <h2>Measurements of another tool</h2>
      <Details summary="Import measurements">{() => <Measurements id={id} />}</Details>
    </>
  )
}

/** One run with its progress, its cost and its answers. */
export const OneRun = ({ back, id, run }: { readonly id: string; readonly run: string; readonly back: Crumb }) => {
  const read = useRead<GeoRun>(`/projects/${id}/geo/runs/${run}`)
  usePoll(read.reload, read.data !== null && isOpen(read.data) ? 2 : null)
  return (
    <Page title="AI visibility run" back={back}>
      <Loaded read={read}>
        {(shown) => (
          <>
            <Facts
              of={[
                ["Status", <Status key="status" of={shown} />],
                ["Engines", namesOf(shown.engines)],
                ["Answers", `${count(shown.answered)} of ${count(shown.planned)}`],
                ["Errors", count(shown.errors)],
                ["Cost", usd(shown.cost_usd)],
                ["Started", <When key="started" at={shown.created_at} />],
                ["Finished", <When key="finished" at={shown.finished_at} />]
              ]}
            />
            {isOpen(shown) && <progress aria-label="Calls" max={shown.planned} value={shown.answered + shown.errors} />}
            <h2>Answers</h2>
            <Answers key={shown.status} id={id} run={run} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
