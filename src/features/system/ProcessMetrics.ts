/** Platform adapter: metrics of the process, with the names of Prometheus' own clients. */

const started = performance.timeOrigin / 1000

const line = (name: string, type: "counter" | "gauge", help: string, value: number, labels = "") =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}${labels} ${value}\n`

/** Processor time, memory, start and version of this process, as Prometheus text. */
export const processMetrics = (version: string): string => {
  const { system, user } = process.cpuUsage()
  return [
    line("process_cpu_seconds_total", "counter", "Processor time used, in seconds", (system + user) / 1e6),
    line("process_resident_memory_bytes", "gauge", "Resident memory, in bytes", process.memoryUsage.rss()),
    line(
      "process_start_time_seconds",
      "gauge",
      "Start time, as a Unix time in seconds",
      Math.round(started * 1000) / 1000
    ),
    line(
      "findable_build_info",
      "gauge",
      "Version of Findable and of the runtime",
      1,
      `{version="${version}",runtime="bun ${Bun.version}"}`
    )
  ].join("")
}
