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
    `After the change is served: POST /api/v1/runs/${id}/verify with {"rules":["${rule}"]}, then GET /api/v1/runs/{its run}?include=result until the run is finished: result.verification says fixed for ${each(count)}, and still_failing for none.`,
    `Where it says not_assessable, its detail gives the reason. Then, in a new run of the whole site (POST /api/v1/projects/${project_id}/site-health/runs, same start URL), GET /api/v1/runs/{new run}/diff?against=${id} lists ${rule} for ${each(count)} under findings.fixed (not_comparable only for a URL that was meant to go), and nothing of it under findings.new or findings.persisting.`,
    unchanged
  ]

/** The end of a repair by the command line, with the report in a file. */
export const doneByCommand =
  (file: string): Done =>
  ({ count, rule }) => [
    `After the change is served: bun run cli verify ${file} --rule ${rule} says fixed for ${each(count)}, and ends with exit code 0.`,
    `Where it says not assessable, the line gives the reason. Then crawl the same start URL again with --baseline ${file}: ${rule} stands under Fixed for ${each(count)} (not comparable only for a URL that was meant to go), and not under New.`,
    unchanged
  ]
