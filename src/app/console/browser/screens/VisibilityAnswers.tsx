import type { CitedDomain, GeoAnswer, Prompt } from "../api/Contract.ts"
import { useAll, usePages } from "../api/Read.ts"
import { refine, route } from "../Place.ts"
import { Download } from "../parts/Acts.tsx"
import { count, share } from "../parts/Formats.ts"
import { Choice } from "../parts/Forms.tsx"
import { Loaded, Outside, Tag } from "../parts/Status.tsx"
import { Details, Pages, Table } from "../parts/Tables.tsx"
import { queryOf } from "../Routes.ts"
import { engines, outcomes, outcomeTones, usd } from "./VisibilityWords.ts"

const asked = (name: string) => route.value.query.get(name) ?? ""

const withAll = (names: Readonly<Record<string, string>>) => [
  { text: "All", value: "" },
  ...Object.entries(names).map(([value, text]) => ({ text, value }))
]

const Answer = ({ citations, error, text }: GeoAnswer) => (
  <Details summary={error === null ? `Answer, ${count(citations.length)} cited` : `Error: ${error.code}`}>
    {() => (
      <div>
        {error !== null && <p class="bad">{error.message}</p>}
        {text !== null && <p class="answer">{text}</p>}
        {citations.length > 0 && (
          <ol>
            {citations.map(({ title, url }) => (
              <li key={url}>
                <Outside href={url} text={title ?? url} />
              </li>
            ))}
          </ol>
        )}
      </div>
    )}
  </Details>
)

/** The answers of one run, or of all runs. */
export const Answers = ({ id, run }: { readonly id: string; readonly run: string | null }) => {
  const outcome = asked("outcome")
  const path = `/projects/${id}/geo/answers${queryOf({ outcome, run_id: run })}`
  const answers = usePages<GeoAnswer>(path)
  const prompts = useAll<Prompt>(`/projects/${id}/geo/prompts`)
  const texts = new Map(prompts.data?.map(({ id, text }) => [id, text]))
  return (
    <>
      <Choice label="Outcome" chosen={outcome} options={withAll(outcomes)} choose={(outcome) => refine({ outcome })} />
      <div class="actions">
        <Download action="Export CSV" name="ai-answers.csv" path={path} />
      </div>
      <Loaded read={answers}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{outcome === "" ? "No answers yet. They appear here after a run." : "No answers with this outcome."}</p>
          ) : (
            <Table
              caption="Answers, those of the latest run first"
              keyOf={({ id }) => id}
              rows={rows}
              columns={[
                {
                  cell: ({ prompt_id, repeat }) => (
                    <>
                      {texts.get(prompt_id) ?? "Deleted prompt"}
                      <small>repeat {repeat}</small>
                    </>
                  ),
                  kind: "address",
                  name: "Prompt"
                },
                {
                  cell: ({ engine, model }) => (
                    <>
                      {engines[engine]}
                      <small>{model}</small>
                    </>
                  ),
                  name: "Engine"
                },
                {
                  cell: ({ outcome }) => <Tag text={outcomes[outcome]} tone={outcomeTones[outcome]} />,
                  name: "Outcome"
                },
                { cell: (answer) => <Answer {...answer} />, kind: "address", name: "Answer" },
                {
                  cell: ({ cost_exact, cost_usd }) => (
                    <>
                      {usd(cost_usd)}
                      {!cost_exact && <small>estimated</small>}
                    </>
                  ),
                  kind: "number",
                  name: "Cost"
                }
              ]}
            />
          )
        }
      </Loaded>
      <Pages name="answers" pager={answers.pager} />
    </>
  )
}

/** The hosts that the answers of the latest run cite. */
export const Domains = ({ id }: { readonly id: string }) => {
  const engine = asked("engine")
  const path = `/projects/${id}/geo/domains${queryOf({ engine })}`
  const domains = usePages<CitedDomain>(path)
  return (
    <>
      <Choice label="Engine" chosen={engine} options={withAll(engines)} choose={(engine) => refine({ engine })} />
      <div class="actions">
        <Download action="Export CSV" name="cited-domains.csv" path={path} />
      </div>
      <Loaded read={domains}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No cited domains yet. They appear here after a run.</p>
          ) : (
            <Table
              caption="Cited domains of the latest run, the most cited first"
              keyOf={({ domain }) => domain}
              rows={rows}
              columns={[
                {
                  cell: ({ domain, own }) => (
                    <>
                      {domain} {own && <Tag text="your site" tone="good" />}
                    </>
                  ),
                  kind: "address",
                  name: "Domain"
                },
                { cell: ({ rate }) => share(rate), kind: "number", name: "Share of answers" },
                { cell: ({ answers }) => count(answers), kind: "number", name: "Answers" },
                { cell: ({ instead }) => count(instead), kind: "number", name: "Cited instead of you" }
              ]}
            />
          )
        }
      </Loaded>
      <Pages name="cited domains" pager={domains.pager} />
    </>
  )
}
