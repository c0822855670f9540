import { effortWords } from "../../../../crawl/report/Labels.ts"
import type {
  Experiment,
  Finding,
  Intervention,
  ListedAudit,
  ReferringDomain,
  Run,
  Schedule,
  Visible
} from "../api/Contract.ts"
import { isFinal, useRead, useRules } from "../api/Read.ts"
import { Spark } from "../chart/Charts.tsx"
import { hostOf, pathOf, plural, points as pointWords, sentence, share } from "../parts/Formats.ts"
import { Change, Outside, Score, Tag, When } from "../parts/Status.tsx"
import { type OfSite, Summary } from "../parts/SummaryCard.tsx"
import { Missing, Page } from "../parts/Tables.tsx"
import { hashOf } from "../Routes.ts"
import { type SiteProperties, siteTab } from "../SiteRoutes.ts"
import { Progress, useHistory, useLatestCrawl } from "./Crawling.tsx"
import { CrawlNow } from "./CrawlNow.tsx"
import { sentenceOf } from "./EffectWords.ts"
import { FailedCrawl } from "./FailedCrawl.tsx"
import { SearchCard } from "./SearchCard.tsx"
import { valueOf, vitals } from "./Vitals.ts"

/** The issue of a crawl with the greatest score impact. */
const TopFix = ({ id, run }: OfSite & { readonly run: string }) => {
  const { data } = useRead<ReadonlyArray<Finding>>(`/runs/${run}/findings?status=fail&sort=impact&limit=1`)
  const ruleOf = useRules()
  const [worst] = data ?? []
  return worst === undefined ? null : (
    <p>
      Top fix: <a href={hashOf(siteTab(id, "health"), { rule: worst.rule })}>{ruleOf(worst.rule).title}</a>{" "}
      <small class="quiet">
        {plural(worst.count, "page")}
        {worst.effort && ` · ${effortWords[worst.effort]}`}
      </small>
    </p>
  )
}

/** The state of the latest crawl where it is news: its progress while it runs, its failure, or nothing. */
const News = ({ run }: { readonly run: Run }) =>
  run.status === "failed" ? (
    <FailedCrawl run={run} isShort />
  ) : (
    <>
      <p>
        <b>Crawling now</b>
      </p>
      <Progress run={run} />
    </>
  )

const Health = ({ id, latest }: OfSite & { readonly latest: Run | null }) => {
  const read = useHistory(id, latest, 12)
  const isNews = latest !== null && (latest.status === "failed" || !isFinal(latest))
  const isFailing = latest?.status === "failed" || (read.data?.[0]?.findings.critical ?? 0) > 0
  return (
    <Summary
      empty={["A crawl gives a score and lists what to fix first.", "Start a crawl"]}
      id={id}
      read={read}
      segment="health"
      title="Health"
      {...(isNews && { news: <News run={latest} /> })}
      {...(isFailing && { tone: "bad" as const })}
    >
      {(points) => {
        const [newest, before] = points
        const scores = points.map(({ score }) => score?.aggregate_score ?? null)
        const [score = null, earlier = null] = scores
        return (
          newest && (
            <>
              <p class="big">
                <Score score={score} critical={newest.findings.critical} isPartial={newest.status === "partial"} />
                {scores.length > 1 && (
                  <Spark label={`Score of the last ${scores.length} crawls`} values={scores.toReversed()} />
                )}
              </p>
              {before !== undefined && score !== null && earlier !== null && (
                <p>
                  <Change by={score - earlier} format={pointWords} /> vs. previous crawl
                </p>
              )}
              <p>
                {plural(newest.findings.critical, "critical issue")}, {plural(newest.findings.warning, "warning")}
              </p>
              <TopFix id={id} run={newest.run_id} />
            </>
          )
        )
      }}
    </Summary>
  )
}

const vitalsWords = {
  good: { text: "good", tone: "good" },
  needs_improvement: { text: "needs improvement", tone: "warn" },
  poor: { text: "poor", tone: "bad" },
  unknown: { text: "not measured", tone: "quiet" }
} as const

const Vitals = ({ id }: OfSite) => {
  const read = useRead<ReadonlyArray<ListedAudit>>(`/audits?project_id=${id}&status=completed&sort=measured_at&limit=1`)
  return (
    <Summary
      empty={["Audits measure how fast a page loads and responds.", "Add an audit"]}
      id={id}
      read={read}
      segment="audits"
      title="Web vitals"
      {...(read.data?.[0]?.core_web_vitals?.status === "poor" && { tone: "bad" as const })}
    >
      {([audit]) =>
        audit && (
          <>
            <p class="big">
              <Tag {...vitalsWords[audit.core_web_vitals?.status ?? "unknown"]} />
            </p>
            <p>
              {vitals
                .slice(0, 3)
                .flatMap(({ name, short }) => {
                  const value = audit.core_web_vitals?.metrics[name] ?? null
                  return value === null ? [] : [`${short} ${valueOf(name, value)}`]
                })
                .join(" · ")}
            </p>
            <p class="quiet">
              {pathOf(audit.url)} · <When at={audit.measured_at} />
            </p>
          </>
        )
      }
    </Summary>
  )
}

const Experiments = ({ id }: OfSite) => {
  const read = useRead<ReadonlyArray<Experiment>>(`/experiments?site_id=${id}&limit=25`)
  return (
    <Summary
      empty={["Experiments show whether a change of your pages brings more clicks.", "Start an experiment"]}
      id={id}
      read={read}
      segment="experiments"
      title="Experiments"
    >
      {(all) => {
        const running = all.filter(({ status }) => status === "running").length
        const last = all.find(({ analysis }) => analysis !== null)
        return (
          <>
            <p class="big">
              <b>{running}</b> <small>running</small>
            </p>
            {last?.analysis ? (
              <p>
                <a href={hashOf([...siteTab(id, "experiments"), last.id])}>{last.name}</a>: {sentenceOf(last.analysis)}
              </p>
            ) : (
              <p class="quiet">No result yet</p>
            )}
          </>
        )
      }}
    </Summary>
  )
}

/** Referring domains of one request. */
const mostDomains = 100

const Backlinks = ({ id }: OfSite) => {
  const read = useRead<ReadonlyArray<ReferringDomain>>(`/projects/${id}/backlinks/domains?limit=${mostDomains}`)
  return (
    <Summary
      empty={["Backlinks show which sites link to yours, and which links you lose.", "Import backlinks"]}
      id={id}
      read={read}
      segment="links"
      title="Backlinks"
    >
      {(domains) => (
        <>
          <p class="big">
            <b>{domains.length === mostDomains ? `${mostDomains}+` : domains.length}</b>{" "}
            <small>referring domains</small>
          </p>
          <p>
            {plural(domains.filter(({ live_links }) => live_links > 0).length, "domain")} with live links ·{" "}
            {domains.filter(({ lost_at }) => lost_at !== null).length} lost
          </p>
        </>
      )}
    </Summary>
  )
}

const Visibility = ({ id }: OfSite) => {
  const read = useRead<ReadonlyArray<Visible>>(`/projects/${id}/geo/visibility`)
  return (
    <Summary
      empty={["AI visibility shows how often AI assistants cite your site.", "Add prompts"]}
      id={id}
      read={read}
      segment="ai"
      title="AI visibility"
    >
      {(engines) => (
        <ul class="plain">
          {engines.slice(0, 4).map(({ cited, engine, model }) => (
            <li key={`${engine} ${model}`}>
              <b>{share(cited?.rate)}</b> cited by {sentence(engine)}
              {cited?.interval && (
                <small class="quiet">
                  {" "}
                  ({share(cited.interval[0])}–{share(cited.interval[1])})
                </small>
              )}
            </li>
          ))}
        </ul>
      )}
    </Summary>
  )
}

const NextCrawl = ({ id }: OfSite) => {
  const read = useRead<ReadonlyArray<Schedule>>(`/projects/${id}/site-health/schedules?limit=25`)
  return (
    <Summary
      empty={["Scheduled crawls notice new issues without you.", "Schedule crawls"]}
      id={id}
      read={read}
      segment="settings"
      title="Schedule"
      {...(read.data?.some(({ last_skipped }) => last_skipped !== null) === true && { tone: "warn" as const })}
    >
      {(schedules) => {
        const [next] = schedules.toSorted((a, b) => Date.parse(a.next_at) - Date.parse(b.next_at))
        return (
          next && (
            <>
              <p>
                Next crawl <When at={next.next_at} />
              </p>
              {next.last_skipped !== null && <p class="warn">Last crawl skipped: {next.last_skipped.reason}</p>}
              {schedules.length > 1 && <p class="quiet">{plural(schedules.length, "schedule")}</p>}
            </>
          )
        )
      }}
    </Summary>
  )
}

const Changes = ({ id }: OfSite) => {
  const read = useRead<ReadonlyArray<Intervention>>(`/projects/${id}/interventions?limit=3`)
  return (
    <Summary
      empty={["Recorded changes explain later moves of score and clicks.", "Record a change"]}
      id={id}
      read={read}
      segment="changes"
      title="What changed"
    >
      {(changes) => (
        <ul class="plain">
          {changes.map(({ created_at, deployed_at, id, status, summary }) => (
            <li key={id}>
              {summary}{" "}
              <small class="quiet">
                {sentence(status)} · <When at={deployed_at ?? created_at} />
              </small>
            </li>
          ))}
        </ul>
      )}
    </Summary>
  )
}

/** A site at a glance: a card for each of its screens. */
const Cards = ({ site: { id, name, url } }: Pick<SiteProperties, "site">) => {
  const latest = useLatestCrawl(id)
  return (
    <Page title={name} about={<CrawlNow id={id} latest={latest} />}>
      {name !== hostOf(url) && (
        <p class="quiet">
          <Outside href={url} text={hostOf(url)} />
        </p>
      )}
      <div class="cards overview">
        <Health id={id} latest={latest} />
        <SearchCard id={id} />
        <Vitals id={id} />
        <Experiments id={id} />
        <Backlinks id={id} />
        <Visibility id={id} />
        <NextCrawl id={id} />
        <Changes id={id} />
      </div>
    </Page>
  )
}

export const Overview = ({ rest, site }: SiteProperties) => (rest.length > 0 ? <Missing /> : <Cards site={site} />)
