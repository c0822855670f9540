import type * as Diffs from "../../../../crawl/diff/CrawlDiff.ts"
import type * as Results from "../../../../crawl/report/CrawlResult.ts"
import type * as Findings from "../../../../crawl/report/Finding.ts"
import type * as Accounts from "../../../../features/accounts/Domain.ts"
import type * as Sessions from "../../../../features/accounts/SessionsApi.ts"
import type * as Audits from "../../../../features/audits/Domain.ts"
import type * as AuditSchedules from "../../../../features/audits/schedule/Api.ts"
import type * as Backlinks from "../../../../features/backlinks/Domain.ts"
import type * as Experiments from "../../../../features/experiments/Domain.ts"
import type * as ExperimentDesigns from "../../../../features/experiments/design/Design.ts"
import type * as ExperimentDomains from "../../../../features/experiments/GrowthProjectsApi.ts"
import type * as Designed from "../../../../features/experiments/statistics/design/DesignedAnalysis.ts"
import type * as Inspections from "../../../../features/inspections/Domain.ts"
import type * as Connectors from "../../../../features/interventions/Api.ts"
import type * as Interventions from "../../../../features/interventions/Domain.ts"
import type * as Projects from "../../../../features/projects/Domain.ts"
import type * as Included from "../../../../features/projects/Included.ts"
import type * as Rankings from "../../../../features/rankings/Domain.ts"
import type * as Opportunities from "../../../../features/rankings/opportunities/Domain.ts"
import type * as Performance from "../../../../features/rankings/performance/Api.ts"
import type * as Snapshots from "../../../../features/rankings/snapshots/Api.ts"
import type * as Sources from "../../../../features/rankings/sync/Api.ts"
import type * as Imports from "../../../../features/rankings/uploads/Api.ts"
import type { RuleWords } from "../../../../features/sitehealth/Api.ts"
import type * as Runs from "../../../../features/sitehealth/Domain.ts"
import type * as Listed from "../../../../features/sitehealth/results/Api.ts"
import type * as Schedules from "../../../../features/sitehealth/schedules/Api.ts"
import type * as System from "../../../../features/system/Api.ts"
import type * as Visibility from "../../../../features/visibility/Domain.ts"
import type * as Catalogue from "../../../../features/webhooks/Catalogue.ts"
import type * as Deliveries from "../../../../features/webhooks/deliveries/Delivery.ts"
import type * as Events from "../../../../features/webhooks/events/Api.ts"
import type * as Webhooks from "../../../../features/webhooks/subscriptions/Subscription.ts"

// The contract's types of sent JSON: `Encoded` of each schema.

export type OwnKey = typeof Accounts.OwnKey.Encoded
export type ManagedKey = typeof Accounts.ManagedKey.Encoded
export type NewManagedKey = typeof Accounts.NewManagedKey.Encoded
export type Server = typeof System.Server.Encoded
export type ConsoleSession = typeof Sessions.ConsoleSession.Encoded
export type Project = typeof Projects.Project.Encoded
export type Health = typeof Included.Health.Encoded
export type ListedProject = typeof Included.ListedProject.Encoded
export type Run = typeof Runs.Run.Encoded
export type RunWithResult = typeof Runs.RunWithResult.Encoded
export type HistoryPoint = typeof Runs.HistoryPoint.Encoded
export type Schedule = typeof Schedules.SiteHealthSchedule.Encoded
export type Result = typeof Results.CrawlResult.Encoded
export type CrawledPage = Result["pages"][number]
export type DeadLink = typeof Listed.ListedDeadLink.Encoded
export type Verification = typeof Results.Verification.Encoded
/** The texts of a check; each issue has its own score impact. */
export type Rule = Omit<typeof RuleWords.Encoded, "category" | "severity">
export type Finding = typeof Findings.Finding.Encoded
export type Fix = typeof Runs.FixDirective.Encoded
export type Diff = typeof Diffs.CrawlDiff.Encoded & { readonly run: string; readonly against: string }

export type Keyword = typeof Rankings.KeywordRanking.Encoded
export type RankingSummary = typeof Performance.Summary.Encoded
export type SeriesDay = typeof Performance.SeriesDay.Encoded
export type PerformanceRow = typeof Performance.PerformanceRow.Encoded
export type PerformanceTotals = typeof Performance.PerformanceTotals.Encoded
export type Intervention = typeof Interventions.Intervention.Encoded
export type Opportunity = typeof Opportunities.Opportunity.Encoded
export type OpportunityWindows = typeof Opportunities.OpportunityWindows.Encoded
export type CurvePoint = typeof Opportunities.CurvePoint.Encoded
export type NotAssessed = typeof Opportunities.NotAssessed.Encoded
export type RankingSource = typeof Sources.Connection.Encoded
export type RankingSync = typeof Sources.Synchronisation.Encoded
export type RankingImport = typeof Imports.Upload.Encoded
export type RankingSnapshot = typeof Snapshots.Snapshot.Encoded
export type SnapshotRow = typeof Snapshots.SnapshotRow.Encoded
export type AuditedPage = typeof Audits.AuditedPage.Encoded
export type ListedAudit = typeof Audits.ListedAudit.Encoded
export type Audit = typeof Audits.Audit.Encoded
export type AuditSchedule = typeof AuditSchedules.AuditSchedule.Encoded
export type AuditFix = typeof Audits.FixDirective.Encoded
export type Experiment = typeof Experiments.Experiment.Encoded
export type Analysis = typeof Experiments.ExperimentAnalysis.Encoded
export type ExperimentDay = typeof ExperimentDesigns.SeriesDay.Encoded
export type NewDesign = typeof ExperimentDesigns.Design.Encoded
export type ExperimentDomain = typeof ExperimentDomains.GrowthProjectResource.Encoded
export type Power = typeof Designed.DesignPower.Encoded
export type Preview = typeof Designed.DesignPreview.Encoded
export type ReferringDomain = typeof Backlinks.ReferringDomain.Encoded
export type Visible = typeof Visibility.Visible.Encoded
export type Webhook = typeof Webhooks.Subscription.Encoded
export type EventType = typeof Events.EventTypeInfo.Encoded
export type NewWebhook = typeof Webhooks.SubscriptionWithSecret.Encoded
export type Delivery = typeof Deliveries.Delivery.Encoded
export type FullDelivery = typeof Deliveries.DeliveryWithRequest.Encoded
export type PublishedEvent = typeof Catalogue.Payload.Encoded
export type Ping = typeof Webhooks.PingResult.Encoded
export type Recovery = typeof Deliveries.Recovered.Encoded
export type Backlink = typeof Backlinks.Backlink.Encoded
export type BacklinkChange = typeof Backlinks.Change.Encoded
export type BacklinkImport = typeof Backlinks.BacklinkImport.Encoded
export type Checks = typeof Backlinks.Checks.Encoded
export type Prompt = typeof Visibility.Prompt.Encoded
export type GeoRun = typeof Visibility.GeoRun.Encoded
export type GeoEstimate = typeof Visibility.Estimate.Encoded
export type GeoSchedule = typeof Visibility.GeoSchedule.Encoded
export type GeoImport = typeof Visibility.GeoImport.Encoded
export type GeoPower = typeof Visibility.GeoPower.Encoded
export type PastRun = typeof Visibility.PastRun.Encoded
export type GeoAnswer = typeof Visibility.GeoAnswer.Encoded
export type CitedDomain = typeof Visibility.CitedDomain.Encoded
export type Connector = typeof Connectors.Configured.Encoded
export type Inspection = typeof Inspections.Inspection.Encoded
export type QueuedInspections = typeof Inspections.Queued.Encoded
