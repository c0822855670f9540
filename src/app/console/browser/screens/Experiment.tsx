import type { Preview as Look, Power as Powers, Experiment as Record } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { Facts } from "../parts/Facts.tsx"
import { dayOf, none, plural, rounded, words } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Table } from "../parts/Table.tsx"
import { When } from "../parts/When.tsx"
import { Effect } from "./Effect.tsx"
import { State } from "./Experiments.tsx"

const percentOf = (value: number) => `${rounded(value)} %`

/** What a design can show, before it begins. */
const Power = ({ id }: { readonly id: string }) => {
  const power = useRead<Powers>(`/experiments/${id}/power`)
  return (
    <>
      <h2>What it can show</h2>
      <Loaded read={power}>
        {({ baseline, effects, sentence }) => (
          <>
            <p>
              <strong>{sentence}</strong>
            </p>
            <p>
              The changed pages have{" "}
              {baseline.unit === "ctr" ? percentOf(100 * baseline.value) : rounded(baseline.value)}{" "}
              {baseline.unit === "ctr" ? "of clicks by impression" : "clicks a day"} now.
            </p>
            <Table
              caption="The smallest effects that are found in four of five experiments"
              keyOf={({ post_days }) => String(post_days)}
              rows={effects}
              columns={[
                { cell: ({ post_days }) => plural(post_days, "day"), name: "After the change" },
                {
                  cell: (effect) =>
                    "needed_days" in effect
                      ? `not known: it takes ${plural(effect.needed_days, "day")} of history`
                      : percentOf(effect.increase_percent),
                  name: "Increase"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : percentOf(effect.decrease_percent)),
                  name: "Decrease"
                },
                {
                  cell: (effect) => ("needed_days" in effect ? none : words(effect.method)),
                  name: "Whose error decides"
                }
              ]}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

/** How a running experiment stands. */
const Preview = ({ id }: { readonly id: string }) => {
  const look = useRead<Look>(`/experiments/${id}/preview`)
  return (
    <>
      <h2>So far</h2>
      {look.failure?.code === "not_over" ? (
        <Empty title="Nothing to see yet">{look.failure.message}</Empty>
      ) : (
        <Loaded read={look}>
          {(preview) => (
            <>
              <p>
                Week {preview.weeks} of {preview.planned_weeks}. A look serves to stop harm, never to declare victory.
              </p>
              <Effect of={preview} />
            </>
          )}
        </Loaded>
      )}
    </>
  )
}

const Outcome = ({ of: { analysis, design, id, status } }: { readonly of: Record }) => {
  if (analysis !== null)
    return (
      <>
        <h2>Result</h2>
        <Effect of={analysis} />
      </>
    )
  if (design !== undefined) return status === "draft" ? <Power id={id} /> : <Preview id={id} />
  return (
    <Empty title="It waits for its counts">
      It has no design, so the clicks and impressions of both arms are sent with its evaluation, to{" "}
      <code>/api/v1/experiments/{id}/evaluate</code>.
    </Empty>
  )
}

const armOf = (arm: NonNullable<Record["design"]>["control"]) =>
  arm === undefined
    ? "not chosen yet"
    : arm === "auto"
      ? "chosen by the service"
      : (arm.pattern ?? plural(arm.pages?.length ?? 0, "page"))

/** One experiment: what it can show before it begins, how it stands, what came out. */
export const Experiment = ({ id }: { readonly id: string }) => {
  const experiment = useRead<Record>(`/experiments/${id}`)
  const { data } = experiment
  return (
    <Page
      title={data?.name ?? "Experiment"}
      back={["#/experiments", "Experiments"]}
      about={data !== null && <State of={data} />}
    >
      <Loaded read={experiment}>
        {(one) => (
          <>
            {one.hypothesis !== null && <p>{one.hypothesis}</p>}
            <Outcome of={one} />
            <h2>Design</h2>
            <Facts
              of={[
                ["Made", <When at={one.created_at} />],
                ["Started", <When at={one.started_at} />],
                ["Completed", <When at={one.completed_at} />],
                ...(one.design === undefined
                  ? []
                  : ([
                      ["Changed pages", armOf(one.design.treatment)],
                      ["Unchanged pages", armOf(one.design.control)],
                      ["Change", one.design.change_date === undefined ? "at its start" : dayOf(one.design.change_date)],
                      [
                        "Days before, settling, after",
                        `${one.design.pre_days}, ${one.design.settle_days}, ${one.design.post_days}`
                      ],
                      [
                        "Assigned by the service",
                        one.assignment === undefined ? "no" : plural(one.assignment.draws, "draw")
                      ]
                    ] as const))
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}
