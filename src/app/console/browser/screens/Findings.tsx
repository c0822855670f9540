import type { Finding, Result, Rule, Run } from "../api/Contract.ts"
import { route } from "../Place.ts"
import { Details } from "../parts/Details.tsx"
import { plural, rounded } from "../parts/Formats.ts"
import { Severity } from "../parts/Verdict.tsx"
import { Repair } from "./Repair.tsx"

const ranks = { critical: 0, info: 2, warning: 1 } as const

/** Failing rules, the worst first: by severity, of one severity those on most pages. */
export const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => ranks[a.severity] - ranks[b.severity] || b.count - a.count)

/** One failing rule, with what it rests on and what to do when it is opened. */
const Entry = ({
  finding,
  points,
  rule,
  run
}: {
  readonly finding: Finding
  readonly points: number
  readonly rule: Rule
  readonly run: Run
}) => (
  <Details
    kind={`finding ${finding.severity}`}
    isAsked={route.value.query.get("rule") === finding.rule}
    summary={
      <>
        <Severity severity={finding.severity} /> {rule.title}{" "}
        <small>
          {plural(finding.count, "page")}
          {points >= 0.1 && `, −${rounded(points)} points`}
        </small>
      </>
    }
  >
    {() => <Repair finding={finding} rule={rule} run={run} />}
  </Details>
)

/** What a run found, the worst first, and what it could not judge. */
export const Findings = ({
  result,
  ruleOf,
  run
}: {
  readonly result: Result
  readonly ruleOf: (id: string) => Rule
  readonly run: Run
}) => {
  const failing = worstFirst(result.findings)
  const open = result.findings.filter(({ status }) => status === "not_assessed")
  const passed = result.findings.length - failing.length - open.length
  const points = new Map(result.score.breakdown.lost.map(({ points, rule }) => [rule, points]))
  return (
    <>
      <h2>Findings</h2>
      <p>
        {failing.length === 0 ? "No rule fails" : `${plural(failing.length, "rule fails", "rules fail")}`}, {passed}{" "}
        pass.
      </p>
      {failing.map((finding) => (
        <Entry
          key={finding.rule}
          finding={finding}
          points={points.get(finding.rule) ?? 0}
          rule={ruleOf(finding.rule)}
          run={run}
        />
      ))}
      {open.length > 0 && (
        <Details summary={`${plural(open.length, "rule")} could not be judged`}>
          {() => (
            <ul>
              {open.map(({ evidence, rule }) => (
                <li key={rule}>
                  {ruleOf(rule).title}: <span class="quiet">{evidence.reason}</span>
                </li>
              ))}
            </ul>
          )}
        </Details>
      )}
    </>
  )
}
