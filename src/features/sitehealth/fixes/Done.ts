import type { Finding } from "../../../crawl/report/Finding.ts"
import type { Run } from "../Domain.ts"

/** The checks that prove a repair once the change is served. */
export type Done = (finding: Finding) => ReadonlyArray<string>

const each = (count: number) => (count === 1 ? "the URL" : `each of the ${count} URLs`)

const unchanged = "The listed URLs answer as before in every other respect, and existing tests pass."

/** The end of a repair by the API. */
export const doneByApi =
  ({ id, project_id }: Run): Done =>
  ({ count, rule }) => [
    `After the change is served: POST /api/v1/runs/${id}/verify with {"rules":["${rule}"]} (key with site-health:write), then GET /api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${each(count)}, and still_failing for none.`,
    `Without the API, from any directory: save data.result of GET /api/v1/runs/${id}?include=result as report.json; npx findable verify report.json --rule ${rule} says fixed for ${each(count)}, and ends with exit code 0.`,
    `Where it says not_assessable, its detail gives the reason. Then, in a new run of the whole site (POST /api/v1/projects/${project_id}/site-health/runs, same start URL), GET /api/v1/runs/{new run}/diff?against=${id} lists ${rule} for ${each(count)} under findings.fixed (not_comparable only for a URL that was meant to go), and nothing of it under findings.new or findings.persisting.`,
    unchanged
  ]

/** The name of a file as a command takes it in any directory; a name that a shell would not take as it is stands for itself no longer. */
const nameOf = (file: string): string => {
  const name = file.split(/[/\\]/).at(-1) ?? ""
  return /^\w[\w.-]{0,99}$/.test(name) ? name : "report.json"
}

/** The end of a repair by the command line, with the report in a file. */
export const doneByCommand =
  (file: string): Done =>
  ({ count, rule }) => {
    const report = nameOf(file)
    return [
      `After the change is served: npx findable verify ${report} --rule ${rule} says fixed for ${each(count)}, and ends with exit code 0. ${report} is the report that these instructions were made from; ask for it where it is not at hand.`,
      `Where a Findable server watches the site: POST /api/v1/runs/{run_id}/verify with {"rules":["${rule}"]}, for a run that found the same, then GET /api/v1/runs/{its run}?include=result: result.verification says fixed for ${each(count)}.`,
      `Where it says not assessable, the line gives the reason. Then npx findable crawl of the same start URL with --baseline ${report}: ${rule} stands under Fixed for ${each(count)} (not comparable only for a URL that was meant to go), and not under New.`,
      unchanged
    ]
  }
