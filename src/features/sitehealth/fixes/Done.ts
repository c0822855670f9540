import type { Finding } from "../../../crawl/report/Finding.ts"
import type { Run } from "../Domain.ts"

// Instructions are followed on other machines: they name requests to this installation, and neither a program nor a package, whose name may be anybody's on a registry.

/** The checks that prove a repair once the change is served. */
export type Done = (finding: Finding) => ReadonlyArray<string>

const each = (count: number) => (count === 1 ? "the URL" : `each of the ${count} URLs`)

const unchanged = "The listed URLs answer as before in every other respect, and existing tests pass."

/** The key that a verification asks for, and the variable of the reader that stands for an address which nobody set. */
const needs = (base: string) =>
  `key with site-health:write${base.startsWith("$") ? `; ${base} is the address of the Findable server` : ""}`

/** The end of a repair by the API of the server at an address. */
export const doneByApi =
  (base: string, { id, project_id }: Run): Done =>
  ({ count, rule }) => [
    `After the change is served: POST ${base}/api/v1/runs/${id}/verify with {"rules":["${rule}"]} (${needs(base)}), then GET ${base}/api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${each(count)}, and still_failing for none.`,
    `Where it says not_assessable, its detail gives the reason. Then, in a new run of the whole site (POST ${base}/api/v1/projects/${project_id}/site-health/runs, same start URL), GET ${base}/api/v1/runs/{new run}/diff?against=${id} lists ${rule} for ${each(count)} under findings.fixed (not_comparable only for a URL that was meant to go), and nothing of it under findings.new or findings.persisting.`,
    unchanged
  ]

/** The name of a file without its folders; a name that a shell would not take as it is stands for itself no longer. */
const nameOf = (file: string): string => {
  const name = file.split(/[/\\]/).at(-1) ?? ""
  return /^\w[\w.-]{0,99}$/.test(name) ? name : "report.json"
}

/** The end of a repair by a report in a file, and by a server that watches the site. */
export const doneByReport =
  (base: string, file: string): Done =>
  ({ count, rule }) => {
    const report = nameOf(file)
    return [
      `After the change is served, where a Findable server watches the site: POST ${base}/api/v1/runs/{run_id}/verify with {"rules":["${rule}"]} (${needs(base)}), for a run that found the same, then GET ${base}/api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${each(count)}.`,
      `Without a server: whoever gave these instructions verifies ${report}, the report that they were made from, for the rule ${rule}. The verification says fixed for ${each(count)}.`,
      `Where a verification says that something is not assessable, it gives the reason. Then in a new crawl of the same start URL, compared with ${report}, ${rule} is fixed for ${each(count)} (not comparable only for a URL that was meant to go), and nowhere new.`,
      unchanged
    ]
  }
