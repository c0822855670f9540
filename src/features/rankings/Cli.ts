import * as Command from "@effect/cli/Command"
import * as Layer from "effect/Layer"
import * as InstallationKey from "../../foundation/secrets/InstallationKey.ts"
import { connect, schedule } from "./cli/Connect.ts"
import { dropDay } from "./cli/DropDay.ts"
import { importFiles } from "./cli/Import.ts"
import { opportunities } from "./cli/Opportunities.ts"
import { synchronise } from "./cli/Synchronise.ts"
import { DropDay } from "./import/DropDay.ts"
import { FileImports } from "./import/FileImports.ts"
import { Opportunities } from "./opportunities/Opportunities.ts"
import { SitesRepo } from "./SitesRepo.ts"
import * as SearchAnalyticsApi from "./searchconsole/SearchAnalyticsApi.ts"
import { Connections } from "./sync/Connections.ts"
import { Sync } from "./sync/Sync.ts"

/** `rankings …`; the command of a room above that belongs to it is given. */
export const rankings = <Name extends string, R, E, A>(other: Command.Command<Name, R, E, A>) =>
  Command.make("rankings").pipe(
    Command.withDescription("keyword rankings from Search Console data"),
    Command.withSubcommands([
      importFiles.pipe(Command.provide(Layer.merge(FileImports.Default, SitesRepo.Default))),
      dropDay.pipe(Command.provide(Layer.merge(DropDay.Default, SitesRepo.Default))),
      opportunities.pipe(Command.provide(Layer.merge(Opportunities.Default, SitesRepo.Default))),
      synchronise.pipe(
        Command.provide(Sync.Default.pipe(Layer.provide([InstallationKey.layer, SearchAnalyticsApi.layer])))
      ),
      connect.pipe(Command.provide(Connections.Default.pipe(Layer.provide(InstallationKey.layer)))),
      schedule.pipe(Command.provide(Connections.Default.pipe(Layer.provide(InstallationKey.layer)))),
      other
    ])
  )
