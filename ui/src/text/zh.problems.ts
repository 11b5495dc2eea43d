/** 问题、对策和状态的原因。 */
import type { Text } from ".";
import type { Details } from "./en.problems.ts";

export const problem: Text["problem"] = {
  title: "没有成功",
  unknown: "出了点问题。",
  ambiguous: (d) => `${name(d)}对应多份文档。`,
  bad_request: () => "窗口与程序没有对上话。",
  cancelled: () => "已取消。",
  connection_lost: () => "与程序的连接断开了。",
  converter_crashed: (d) => `读取程序在${name(d, "此文件")}上停止了。`,
  damaged: (d) => `${name(d, "文件")}已损坏。`,
  data_folder_locked: () => "另一个 Carrel 正在使用这个数据文件夹。",
  disk_full: () => "磁盘已满。已保存的内容不会丢失。",
  endpoint_refused: (d) => `${name(d, "服务")}拒绝了请求${why(d)}。`,
  endpoint_unreachable: (d) => `${name(d, "服务")}没有响应${why(d)}。`,
  exists: (d) => `${name(d, "这个名称")}已被使用。`,
  file_access: (d) => `无法读写${name(d, "文件")}${why(d)}。`,
  index_failed: () => "搜索索引出错，正在重建。",
  internal: () => "Carrel 内部出了问题。",
  invalid: () => "这样做行不通。",
  ledger_failed: (d) => `资料库的数据库出错${why(d)}。`,
  limit_exceeded: (d) => `${name(d, "文件")}超出了时间或内存限制。`,
  model_damaged: (d) => `模型 ${name(d, "")} 的文件已损坏。`,
  model_failed: (d) => `模型运行失败${why(d)}。`,
  model_not_installed: (d) => `没有安装模型 ${name(d, "")}。`,
  model_unknown: (d) => `没有名为 ${name(d, "")} 的模型。`,
  needs_model: (d) => `${name(d, "文件")}需要尚未安装的模型。`,
  needs_password: (d) => `${name(d, "文件")}需要密码。`,
  network_disk: () => "数据文件夹在网络磁盘上，可能会损坏。",
  no_text: (d) => `${name(d, "文件")}里没有文字。`,
  not_available: () => "这项功能还没有。",
  not_found: (d) => `${name(d, "它")}已经不在了。`,
  owner_not_answering: () => "占用此数据文件夹的 Carrel 没有响应。",
  owner_version: () => "正在运行的是另一个版本的 Carrel。",
  page_refused: (d) => `${name(d, "网页")}拒绝读取。`,
  page_too_large: (d) => `${name(d, "网页")}太大。`,
  page_unreachable: (d) => `无法访问${name(d, "网页")}。`,
  text_too_long: () => "文字超出了模型一次能读的长度。",
  too_new: () => "这个资料库由更新版本的 Carrel 写成。",
  unknown_command: () => "程序不认识这个命令。",
  unreadable: (d) => `无法读取${name(d, "文件")}。`,
  unsupported_format: (d) => `暂时不能读取${name(d, "此文件")}的格式。`,
  wrong_password: (d) => `密码打不开${name(d, "文件")}。`,
};

export const hint: Text["hint"] = {
  ambiguous: "请给出完整路径。",
  bad_request: "请更新 Carrel 后再试。",
  connection_lost: "请稍后再试。",
  converter_crashed: "其他文件不受影响，这份可稍后重试。",
  damaged: "用它自己的程序打开并重新保存。",
  data_folder_locked: "关闭另一个后再试。",
  disk_full: "腾出一些空间后再试。",
  endpoint_refused: "请检查密钥和模型名称。",
  endpoint_unreachable: "请确认它在运行，地址无误。",
  exists: "换一个名称。",
  file_access: "请确认文件存在，并且有权打开。",
  index_failed: "已就绪的部分可以搜索，请稍后再试。",
  internal: "请再试一次。若仍不行，请在设置中检查。",
  ledger_failed: "请在设置中检查。",
  model_damaged: "移除后重新获取。",
  model_failed: "请再试一次，或换一个模型。",
  model_not_installed: "可在“模型”中获取。",
  model_unknown: "“模型”里列出了全部模型。",
  needs_model: "在“模型”中获取，之后文件会自动读取。",
  network_disk: "请选择这台电脑上的文件夹。",
  owner_not_answering: "关闭另一个 Carrel 后再试。",
  owner_version: "关闭另一个 Carrel 后再试。",
  page_unreachable: "请检查网址和网络连接。",
  too_new: "请更新 Carrel 后再打开。",
  wrong_password: "请检查后再试。",
};

export const reason: Text["reason"] = {
  altered: "加密之后可能被改动过",
  bad_rows: "有些行无法读取",
  cancelled: "中途停止",
  converter_crashed: "读取程序在此文件上停止了",
  damaged: "文件已损坏",
  embedding_failed: "未能计算含义",
  empty_part: "其中有文件没有文字",
  encrypted: "邮件已加密",
  garbled: "有些文字无法转成可读字符",
  internal: "Carrel 自身出错而停止",
  limit_exceeded: "超出时间或内存限制",
  locked_part: "其中一部分需要密码",
  low_confidence: "有些内容难以辨认或听清",
  missing: "不在原来的位置",
  missing_chapter: "缺少一章",
  needs_model: "需要尚未安装的模型，可在“模型”中获取",
  needs_password: "已加密",
  no_text: "里面没有文字",
  no_text_layer: "有些页面只有图像，没有文字",
  partial: "有些部分无法读取",
  simple_reader: "由较简单的 PDF 读取方式读取，可能有缺失",
  symlink: "指向别处的链接",
  too_large: "文件太大",
  too_many_parts: "其中的文件太多，未能全部读取",
  too_wide: "有些工作表太宽，无法完整读取",
  undecodable: "有些字符无法识别",
  unread_part: "其中有文件无法读取",
  unreadable: "无法从磁盘读取",
  unsupported_format: "暂时不能读取这种格式",
  wrong_password: "密码不对",
};

function name(details: Details, otherwise = "它"): string {
  for (const key of ["name", "path", "id", "endpoint", "url", "uri"]) {
    const value = details[key];
    if (typeof value === "string" && value !== "") {
      return key === "path" ? `“${value.split(/[/\\]/).pop() ?? value}”` : `“${value}”`;
    }
  }
  return otherwise;
}

/** 程序所知的原因，用它自己的话。 */
function why(details: Details): string {
  const cause = details.detail ?? details.cause;
  return typeof cause === "string" && cause !== "" ? `（${cause}）` : "";
}
