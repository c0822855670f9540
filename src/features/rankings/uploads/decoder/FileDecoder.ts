import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Stream from "effect/Stream"
import type { ImportFailed } from "../../ImportFailed.ts"
import type { Load } from "../../import/Loads.ts"
import type { DecodeJob } from "./Messages.ts"

/** A file was not read to its end, for a reason that is ours. */
export class DecodeFailed extends Data.TaggedError("DecodeFailed")<{ readonly message: string }> {}

/** Decodes files that callers sent: a port, because what a hostile file costs must not be paid by the process that answers requests. */
export class FileDecoder extends Context.Tag("rankings/uploads/FileDecoder")<
  FileDecoder,
  {
    /** What the bytes of a file load; decoding ends, wherever it goes on, when the loads are no longer read. */
    readonly decode: (
      job: DecodeJob,
      bytes: Stream.Stream<Uint8Array>
    ) => Stream.Stream<Load, DecodeFailed | ImportFailed>
  }
>() {}
