import type { HistoryPoint } from "../api/Contract.ts"
import { useRead } from "../api/Read.ts"
import { plural } from "../parts/Formats.ts"
import { Loaded, Outside, Score, When } from "../parts/Status.tsx"
import { Card, Missing, Page } from "../parts/Tables.tsx"
import { CrawlNow, Uncrawled } from "./CrawlNow.tsx"
import type { SiteProperties } from "./SiteScreens.tsx"

const HealthCard = ({ id }: { readonly id: string }) => {
  const history = useRead<ReadonlyArray<HistoryPoint>>(`/projects/${id}/site-health/history?limit=2`)
  return (
    <Card title="Health" href={`#/sites/${id}/health`}>
      <Loaded read={history}>
        {([newest]) =>
          newest === undefined ? (
            <Uncrawled id={id} />
          ) : (
            <>
              <p class="big">
                <Score score={newest.score?.aggregate_score ?? null} critical={newest.findings.critical} />
              </p>
              <p>
                Latest crawl, <When at={newest.finished_at} />: {plural(newest.findings.critical, "critical issue")},{" "}
                {plural(newest.findings.warning, "warning")}, {plural(newest.findings.info, "info issue")}
              </p>
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

/** A site at a glance: a card for each of its screens. */
export const Overview = ({ rest, site: { id, name, url } }: SiteProperties) =>
  rest.length > 0 ? (
    <Missing />
  ) : (
    <Page title={name} about={<CrawlNow id={id} />}>
      <p>
        <Outside href={url} />
      </p>
      <HealthCard id={id} />
    </Page>
  )
