import type { Experiment } from "../api/Contract.ts"
import { usePages } from "../api/Pages.ts"
import { none, words } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { type Column, Pages, Table } from "../parts/Table.tsx"
import { Tag } from "../parts/Verdict.tsx"
import { When } from "../parts/When.tsx"
import { metrics, shownBy, signedPercent } from "./EffectWords.ts"

const tones = { completed: "good", draft: "quiet", running: "warn" } as const

/** The state of an experiment. */
export const State = ({ of: { status } }: { readonly of: Experiment }) => <Tag text={status} tone={tones[status]} />

const columns: ReadonlyArray<Column<Experiment>> = [
  {
    cell: ({ id, name }) => <a href={`#/experiments/${id}`}>{name}</a>,
    kind: "address",
    name: "Experiment"
  },
  { cell: (experiment) => <State of={experiment} />, name: "State" },
  { cell: ({ design }) => (design === undefined ? "counts that are sent" : metrics[design.metric]), name: "Compares" },
  {
    cell: ({ analysis }) =>
      analysis === null ? none : `${words(shownBy(analysis))}, ${signedPercent(analysis.liftPercentage)}`,
    name: "Result"
  },
  { cell: ({ created_at }) => <When at={created_at} />, name: "Made" }
]

/** What was tried, and what came out. */
export const Experiments = () => {
  const experiments = usePages<Experiment>("/experiments")
  return (
    <Page title="Experiments">
      <Loaded read={experiments}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No experiment yet">
              An experiment changes some pages of a site, leaves others as they are, and compares their clicks before
              and after. A POST to <code>/api/v1/experiments</code> makes one.
            </Empty>
          ) : (
            <>
              <Table caption="Experiments, the newest first" keyOf={({ id }) => id} rows={rows} columns={columns} />
              <Pages name="experiments" pager={experiments.pager} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
