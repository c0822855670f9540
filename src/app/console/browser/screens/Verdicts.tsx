import type { Rule, Verification } from "../api/Contract.ts"
import { plural } from "../parts/Formats.ts"
import { Outside } from "../parts/Link.tsx"
import { Rows } from "../parts/Rows.tsx"
import { Tag } from "../parts/Verdict.tsx"

const verdicts = {
  fixed: { text: "repaired", tone: "good" },
  not_assessable: { text: "cannot be judged", tone: "warn" },
  still_failing: { text: "still failing", tone: "bad" }
} as const

/** What became of faults: how many are repaired, and a row for each rule and URL. */
export const Verdicts = ({
  ruleOf,
  verification
}: {
  readonly verification: ReadonlyArray<Verification>
  readonly ruleOf: (id: string) => Rule
}) => {
  const fixed = verification.filter(({ verdict }) => verdict === "fixed").length
  return (
    <>
      <p>
        Repaired: {fixed} of {plural(verification.length, "fault")}.
      </p>
      <Rows
        caption="What became of each fault"
        name="faults"
        keyOf={({ rule, url }) => `${rule} ${url}`}
        rows={verification}
        columns={[
          { cell: ({ url }) => <Outside href={url} />, kind: "address", name: "Page" },
          { cell: ({ rule }) => ruleOf(rule).title, name: "Finding" },
          { cell: ({ verdict }) => <Tag {...verdicts[verdict]} />, name: "Verdict" },
          { cell: ({ detail }) => detail, kind: "address", name: "What is seen now" }
        ]}
      />
    </>
  )
}
