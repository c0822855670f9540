import type { ComponentChildren } from "preact"
import { effortWords } from "../../../../crawl/report/Labels.ts"
import { freeWords } from "../../../../crawl/report/ScoreVerdict.ts"
import type { Finding, Result, Rule, Run } from "../api/Contract.ts"
import { refine, route } from "../Place.ts"
import { count, plural, rounded, sentence } from "../parts/Formats.ts"
import { Select } from "../parts/Forms.tsx"
import { Search } from "../parts/SearchBox.tsx"
import { Severity } from "../parts/Status.tsx"
import { Details } from "../parts/Tables.tsx"
import { Repair } from "./Repair.tsx"

const ranks = { critical: 0, info: 2, warning: 1 } as const

/** Issues by severity, then by number of affected pages. */
const worstFirst = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings
    .filter(({ status }) => status === "fail")
    .toSorted((a, b) => ranks[a.severity] - ranks[b.severity] || b.count - a.count)

interface EntryProperties {
  readonly finding: Finding
  readonly points: number
  readonly ruleOf: (id: string) => Rule
  readonly run: Run
}

/** The score impact of an issue; a critical one without any says why. */
const impactOf = ({ finding: { charged_by = null, severity }, points, ruleOf }: EntryProperties): string | null =>
  points >= 0.1
    ? `−${rounded(points)} points`
    : points > 0
      ? "less than 0.1 points"
      : severity === "critical"
        ? freeWords(charged_by === null ? null : ruleOf(charged_by).title)
        : null

/** One issue in the list; opening it shows its details. */
const Entry = (properties: EntryProperties & { readonly isAsked: boolean }) => {
  const { finding, isAsked, ruleOf, run } = properties
  const rule = ruleOf(finding.rule)
  const { count, effort = null, severity } = finding
  const facts = [
    effort === "site" && count === 1 ? null : plural(count, "page"),
    effort && effortWords[effort],
    impactOf(properties)
  ]
  return (
    <Details
      kind={`finding ${severity}`}
      isAsked={isAsked}
      summary={
        <>
          <Severity severity={severity} /> <b>{rule.title}</b>{" "}
          <small>{facts.filter((fact) => fact !== null).join(" · ")}</small>
        </>
      }
    >
      {() => <Repair finding={finding} rule={rule} run={run} />}
    </Details>
  )
}

/** Checks without an issue, collapsed. */
const Checks = ({
  findings,
  ruleOf,
  title
}: {
  readonly title: string
  readonly findings: ReadonlyArray<Finding>
  readonly ruleOf: (id: string) => Rule
}) =>
  findings.length === 0 ? null : (
    <Details summary={title}>
      {() => (
        <ul class="checks">
          {findings.map(({ evidence, rule }) => (
            <li key={rule}>
              {ruleOf(rule).title}
              {evidence.reason !== null && <small class="quiet"> {evidence.reason}</small>}
            </li>
          ))}
        </ul>
      )}
    </Details>
  )

const severities = { "": "All", critical: "Critical", warning: "Warnings", info: "Info" }

const efforts = {
  "": "All",
  site: "One fix for the whole site",
  template: "One fix in a template",
  pages: "A fix on each page"
}

/** The issues of a crawl by category, the most severe first, and its other checks. */
export const Issues = ({
  result: { findings, score },
  ruleOf,
  run
}: {
  readonly result: Result
  readonly ruleOf: (id: string) => Rule
  readonly run: Run
}) => {
  const { query } = route.value
  const given = (name: string) => query.get(name) ?? ""
  const asked = given("rule")
  const words = given("q").trim().toLowerCase()
  const failing = worstFirst(findings)
  const shown = failing.filter(
    ({ effort, pages, rule, severity }) =>
      [severity, ""].includes(given("severity")) &&
      [effort, ""].includes(given("effort")) &&
      [ruleOf(rule).title, ...pages].some((text) => text.toLowerCase().includes(words))
  )
  const open = findings.filter(({ status }) => status === "not_assessed")
  const passed = findings.filter(({ status }) => status === "pass")
  const points = new Map(score.breakdown.lost.map(({ points, rule }) => [rule, points]))
  return (
    <>
      {failing.length === 0 ? (
        <p>No issues.</p>
      ) : (
        <div class="actions">
          <Search isLive label="Search issue or URL" value={given("q")} search={(q) => refine({ q })} />
          <span class="pair">
            <Select
              label="Severity"
              options={severities}
              value={given("severity")}
              choose={(severity) => refine({ severity })}
            />
          </span>
          <span class="pair">
            <Select label="Effort" options={efforts} value={given("effort")} choose={(effort) => refine({ effort })} />
          </span>
        </div>
      )}
      {failing.length > 0 && shown.length === 0 && <p>No issue matches these filters.</p>}
      {Array.from(
        Map.groupBy(shown, ({ category }) => category),
        ([category, group]) => (
          <section key={category}>
            <h3>
              {sentence(category)} <small class="quiet">{plural(group.length, "issue")}</small>
            </h3>
            {group.map((finding) => (
              <Entry
                key={`${finding.rule} ${finding.rule === asked}`}
                finding={finding}
                isAsked={finding.rule === asked}
                points={points.get(finding.rule) ?? 0}
                ruleOf={ruleOf}
                run={run}
              />
            ))}
          </section>
        )
      )}
      <h3>Other checks</h3>
      <Checks title={`${plural(passed.length, "check")} passed`} findings={passed} ruleOf={ruleOf} />
      <Checks title={`${plural(open.length, "check")} not applicable`} findings={open} ruleOf={ruleOf} />
    </>
  )
}

/** One list of a comparison, left out when it is empty. */
export const Part = ({
  children,
  isOpen = false,
  size,
  title
}: {
  readonly title: string
  readonly size: number
  readonly isOpen?: boolean
  readonly children: () => ComponentChildren
}) =>
  size === 0 ? null : (
    <Details
      isOpen={isOpen}
      summary={
        <>
          {title} <small>{count(size)}</small>
        </>
      }
    >
      {children}
    </Details>
  )

/** Entries of a list on the screen; few, because several lists are open together. */
export const partSize = 10
