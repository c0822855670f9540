import type { Finding } from "../assessment/Findings.ts"
import { passScore } from "../assessment/Severity.ts"
import { lighthouseKey } from "../Domain.ts"
import type { LighthouseReport } from "../report/LighthouseReport.ts"
import { evidenceRows } from "./EvidenceRows.ts"
import { gainsOf, gainTarget, gainText, vitalTarget } from "./Gains.ts"
import type { Guidance } from "./guidance/Guidance.ts"
import { isGuided } from "./guidance/Lookup.ts"
import { evidenceText, promptText } from "./Prompt.ts"

const maxScripts = 5

/** The breakdown of the main thread names kinds of work; other checks name the scripts. */
const scriptRows = ({ audit }: Finding, report: LighthouseReport): ReadonlyArray<string> => {
  if (!mainThreadAudits.has(audit.id)) return []
  const rows = ["bootup-time", "long-tasks"].map((id) => evidenceRows(report.audits.get(id)?.details).rows)
  return (rows.find((of) => of.length > 0) ?? []).slice(0, maxScripts).map((row) => `script: ${row}`)
}

const mainThreadAudits = new Set(["mainthread-work-breakdown", "interactive", "max-potential-fid", "first-cpu-idle"])

const evidenceLines = (finding: Finding, report: LighthouseReport): ReadonlyArray<string> => {
  const { more, rows } = evidenceRows(finding.audit.details)
  const measured = report.fetchTime === null ? [] : [`measured: ${evidenceText(report.fetchTime, 40)}`]
  const rest = more === 0 ? [] : [`(${more} more in the report)`]
  return [
    ...(isGuided(finding.audit.id) ? [] : [`audit: ${evidenceText(finding.audit.id, 80)}`]),
    `page: ${evidenceText(report.url, 500)}`,
    ...measured,
    ...rows,
    ...rest,
    ...scriptRows(finding, report)
  ]
}

const doneWhen = ({ audit, category, severity }: Finding, report: LighthouseReport): ReadonlyArray<string> => {
  const preset = report.device === "desktop" ? " --preset=desktop" : ""
  const targets =
    category === "performance" ? [...vitalTarget(audit.id), ...gainsOf(audit, report).map(gainTarget)] : []
  const passed = severity === "info" ? "lists nothing any more" : `scores at least ${passScore} or no longer applies`
  return [
    isGuided(audit.id)
      ? `In a new Lighthouse run of the page (--only-audits=${audit.id}${preset}) the audit ${audit.id} ${passed}.`
      : `In a new Lighthouse run of the page the audit that the evidence names ${passed}.`,
    ...(targets.length === 0
      ? []
      : [`In a full run: ${targets.join("; ")}. Lab values vary, so compare the median of three runs.`]),
    "Existing tests pass, and the page looks and behaves as before."
  ]
}

const heading = ({ audit, category }: Finding, report: LighthouseReport): string => {
  const version = /^[\d.]+/.exec(report.version)?.[0] ?? ""
  const gains = gainsOf(audit, report).map(gainText)
  const estimate = gains.length === 0 ? "" : ` Estimated gain: ${gains.join(", ")}.`
  const name = isGuided(audit.id) ? `audit ${audit.id}` : "audit, named in the evidence"
  return `Finding: Lighthouse ${version} ${name} (${[lighthouseKey[category], ...(report.device ? [report.device] : [])].join(", ")}).${estimate}`
}

/** Instructions for a coding agent, from one check of an audit. */
export const agentPrompt = (finding: Finding, guidance: Guidance, report: LighthouseReport): string =>
  promptText({
    docs: guidance.docs,
    done: doneWhen(finding, report),
    evidence: evidenceLines(finding, report),
    except: "the page itself",
    find: "Find the source: search the repository for file names, ids, class names and visible texts of the evidence in templates, components, styles and build or server configuration. Repair what generates the page, not generated files.",
    from: "the audited page",
    goal: guidance.goal,
    heading: heading(finding, report),
    hiddenFrom: "Lighthouse",
    steps: guidance.steps
  })
