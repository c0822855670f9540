import type { Diff, HistoryPoint, Run } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { useRules } from "../api/Rules.ts"
import { filter, route } from "../Place.ts"
import { absolute } from "../parts/Formats.ts"
import { Empty, Loaded } from "../parts/Loaded.tsx"
import { Page } from "../parts/Page.tsx"
import { Change } from "../parts/Verdict.tsx"
import { ChangedFindings } from "./ChangedFindings.tsx"
import { DeadLinks, PageChanges } from "./Changes.tsx"

/** The runs with which a run can be compared. */
const Against = ({ chosen, run }: { readonly run: Run; readonly chosen: string }) => {
  const { data } = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${run.project_id}/site-health/history?limit=100`)
  const earlier = data?.filter(({ finished_at }) => finished_at < (run.finished_at ?? "")) ?? []
  return earlier.length < 2 ? null : (
    <p>
      <label>
        Compared with{" "}
        <select value={chosen} onChange={({ currentTarget }) => filter({ against: currentTarget.value })}>
          {earlier.map(({ finished_at, run_id, score }) => (
            <option key={run_id} value={run_id}>
              {absolute(Date.parse(finished_at))}, {score?.aggregate_score ?? "no score"}
            </option>
          ))}
        </select>
      </label>
    </p>
  )
}

/** What changed between a run and an earlier one. */
export const Compare = ({ id }: { readonly id: string }) => {
  const against = route.value.query.get("against")
  const run = useRead<Run>(`/runs/${id}`)
  const diff = useRead<Diff>(`/runs/${id}/diff${against === null ? "" : `?against=${encodeURIComponent(against)}`}`)
  const ruleOf = useRules()
  return (
    <Page title="What changed" back={[`#/runs/${id}`, "The run"]}>
      {diff.failure?.status === 409 ? (
        <Empty title="Nothing to compare with">{diff.failure.message}.</Empty>
      ) : (
        <Loaded read={diff}>
          {({ dead_links, findings, pages, score, ...both }) => (
            <>
              {run.data !== null && <Against chosen={both.against} run={run.data} />}
              <p class="card">
                {score === null ? (
                  "The scores cannot be compared."
                ) : (
                  <>
                    Score {score.before} → {score.after}, <Change by={score.delta} />
                  </>
                )}
              </p>
              <ChangedFindings findings={findings} ruleOf={ruleOf} />
              <DeadLinks links={dead_links} />
              <PageChanges pages={pages} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}
