/** 中文计数。 */

export const number = (n: number) => new Intl.NumberFormat("zh-CN").format(n);
