/** The devices that Search Console knows, by their names in languages of the interface. */
const names = {
  DESKTOP:
    "desktop, computer, ordinateur, ordenador, computadora, computador, masaüstü, pc, пк, компьютер, パソコン, 데스크톱, 桌面, 桌面设备, 桌上型電腦, 電腦, počítač, komputer, dator, máy tính",
  MOBILE:
    "mobile, mobil, mobiel, móvil, celular, dispositivi mobili, dispositivos móveis, mobilgeräte, mobilní, мобильный телефон, мобильные, モバイル, 모바일, 移动设备, 行動裝置, điện thoại di động",
  TABLET:
    "tablet, tablette, tablets, tableta, планшет, タブレット, 태블릿, 平板电脑, 平板電腦, surfplatta, máy tính bảng"
} as const

const known = new Map(
  Object.entries(names).flatMap(([device, all]) =>
    all.split(", ").map((name) => [name.normalize("NFC"), device] as const)
  )
)

/** A device as the API and the bulk export write it; a name that is not known stays, in capitals. */
export const nameOf = (text: string): string =>
  known.get(text.normalize("NFC").toLowerCase().trim()) ?? text.toUpperCase()
