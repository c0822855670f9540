import * as Layer from "effect/Layer"
import * as ConsoleSessions from "../../features/accounts/Sessions.ts"
import * as AuditsRetention from "../../features/audits/Audits.ts"
import * as AuditsWorker from "../../features/audits/schedule/Schedules.ts"
import * as BacklinkImportsWorker from "../../features/backlinks/Importing.ts"
import * as BacklinkChecksWorker from "../../features/backlinks/Rounds.ts"
import * as FilesWorker from "../../features/files/Worker.ts"
import * as InspectionsWorker from "../../features/inspections/Worker.ts"
import * as InterventionsWorker from "../../features/interventions/Worker.ts"
import * as RemovalWorker from "../../features/projects/Removal.ts"
import * as OpportunitiesWorker from "../../features/rankings/opportunities/Worker.ts"
import * as RankingsRetention from "../../features/rankings/retention/Retention.ts"
import * as RankingsWorker from "../../features/rankings/sync/Worker.ts"
import * as UploadsWorker from "../../features/rankings/uploads/Worker.ts"
import * as SiteHealthSchedulesWorker from "../../features/sitehealth/schedules/Schedules.ts"
import * as SiteHealthWorker from "../../features/sitehealth/Worker.ts"
import * as GeoRetention from "../../features/visibility/Runs.ts"
import * as GeoSchedulesWorker from "../../features/visibility/Schedules.ts"
import * as GeoRunsWorker from "../../features/visibility/Worker.ts"
import * as EventsRetention from "../../features/webhooks/deliveries/Retention.ts"
import * as WebhooksWorker from "../../features/webhooks/deliveries/Worker.ts"

const ofSiteHealth = Layer.mergeAll(
  RemovalWorker.layer,
  SiteHealthWorker.retentionLayer,
  SiteHealthWorker.layer,
  SiteHealthSchedulesWorker.workerLayer
)

/** All work of a node beside requests. */
export const layer = Layer.mergeAll(
  ofSiteHealth,
  AuditsRetention.layer,
  AuditsWorker.workerLayer,
  BacklinkChecksWorker.layer,
  BacklinkImportsWorker.layer,
  ConsoleSessions.layer,
  FilesWorker.layer,
  GeoRetention.layer,
  GeoRunsWorker.layer,
  GeoSchedulesWorker.layer,
  InspectionsWorker.layer,
  InterventionsWorker.layer,
  OpportunitiesWorker.layer,
  RankingsWorker.layer,
  RankingsRetention.layer,
  UploadsWorker.layer,
  WebhooksWorker.layer
)

/** The work of site health alone: runs and their schedules, removal of sites, and removal of old runs and old events. */
export const siteHealth = Layer.merge(ofSiteHealth, EventsRetention.layer)
