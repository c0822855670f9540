import type { Analysis } from "../api/Contract.ts"
import { Interval } from "../chart/Interval.tsx"
import { Facts } from "../parts/Facts.tsx"
import { count, dayOf, none, plural, words } from "../parts/Formats.ts"
import { Table } from "../parts/Table.tsx"
import { metrics, probability, sentenceOf, signedPercent, signedPoints } from "./EffectWords.ts"

/** Counts of both arms, as they were sent. */
const Counts = ({
  counts
}: Extract<Analysis, { readonly method?: "binomial" | "page_clustered" | "page_permutation" }>) =>
  counts === undefined ? null : (
    <Table
      caption="Conversions and impressions of both arms"
      keyOf={({ arm }) => arm}
      rows={[
        { arm: "Changed", of: counts.treatment },
        { arm: "Unchanged", of: counts.control }
      ]}
      columns={[
        { cell: ({ arm }) => arm, name: "Pages" },
        {
          cell: ({ of }) => `${count(of.preConversions)} of ${count(of.preImpressions)}`,
          kind: "number",
          name: "Before"
        },
        {
          cell: ({ of }) => `${count(of.postConversions)} of ${count(of.postImpressions)}`,
          kind: "number",
          name: "After"
        }
      ]}
    />
  )

/** An effect as a dot in its interval beside zero, in a sentence, and with all that weakens it. */
export const Effect = ({ of: analysis }: { readonly of: Analysis }) => {
  const { didEstimator, liftPercentage, method, pValue, warnings } = analysis
  return (
    <>
      <p>
        <strong>{sentenceOf(analysis)}</strong>
      </p>
      {"lift_interval" in analysis ? (
        <Interval
          title="Effect in per cent"
          format={signedPercent}
          low={analysis.lift_interval[0]}
          value={liftPercentage}
          high={analysis.lift_interval[1]}
        />
      ) : (
        <Interval
          title="Effect on the conversion rate, in percentage points"
          format={signedPoints}
          low={analysis.confidenceInterval[0]}
          value={didEstimator}
          high={analysis.confidenceInterval[1]}
        />
      )}
      {warnings.length > 0 && (
        <>
          <h3>{plural(warnings.length, "thing weakens", "things weaken")} this verdict</h3>
          <ul>
            {warnings.map((warning) => (
              <li key={warning} class="warn">
                {warning}
              </li>
            ))}
          </ul>
        </>
      )}
      <Facts
        of={[
          ["Effect", signedPercent(liftPercentage)],
          ["p-value", probability(pValue)],
          ["Method", words(method ?? none)],
          ...("windows" in analysis
            ? ([
                ["Pages", `${count(analysis.pages.treatment)} changed, ${count(analysis.pages.control)} unchanged`],
                ["Before", analysis.windows.pre.map(dayOf).join(" – ")],
                ["After", analysis.windows.post.map(dayOf).join(" – ")]
              ] as const)
            : [])
        ]}
      />
      {"counts" in analysis && <Counts {...analysis} />}
      {"secondary" in analysis &&
        analysis.secondary.map(({ lift_interval, liftPercentage, metric, pValue }) => (
          <p key={metric}>
            Beside it, {metrics[metric]}: {signedPercent(liftPercentage)},{" "}
            {lift_interval.map(signedPercent).join(" to ")}, p-value {probability(pValue)}.
          </p>
        ))}
    </>
  )
}
