import * as Layer from "effect/Layer"
import * as AuditsRetention from "../../features/audits/Retention.ts"
import * as AuditsWorker from "../../features/audits/schedule/Worker.ts"
import * as RemovalWorker from "../../features/projects/Removal.ts"
import * as RankingsRetention from "../../features/rankings/retention/Retention.ts"
import * as RankingsWorker from "../../features/rankings/sync/Worker.ts"
import * as UploadsRetention from "../../features/rankings/uploads/Retention.ts"
import * as UploadsWorker from "../../features/rankings/uploads/Worker.ts"
import * as SiteHealthRetention from "../../features/sitehealth/Retention.ts"
import * as SiteHealthSchedulesWorker from "../../features/sitehealth/schedules/Worker.ts"
import * as SiteHealthWorker from "../../features/sitehealth/Worker.ts"
import * as WebhooksWorker from "../../features/webhooks/deliveries/Worker.ts"

/** All work of a node besides answering requests. */
export const layer = Layer.mergeAll(
  AuditsRetention.layer,
  AuditsWorker.layer,
  RankingsWorker.layer,
  RemovalWorker.layer,
  RankingsRetention.layer,
  UploadsRetention.layer,
  UploadsWorker.layer,
  SiteHealthRetention.layer,
  SiteHealthWorker.layer,
  SiteHealthSchedulesWorker.layer,
  WebhooksWorker.layer
)
