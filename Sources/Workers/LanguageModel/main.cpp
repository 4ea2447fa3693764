// The language model worker: a conversation in, the next reply out, token by token.
#include "LanguageModel/Generator.h"
#include "Protocol/Inbox.h"
#include "Protocol/Launch.h"
#include "Protocol/ModelFile.h"
#include <unistd.h>

using namespace worker;

namespace {

constexpr const char *modelName = "SmolLM2-135M-Instruct.Q4_1.gguf";

void answer(Generator &generator, Channel &channel, const Job &job) {
  try {
    ChatPrompt prompt(job.start);
    const auto reply = generator.reply(
        prompt, job.complete, [&](std::string_view words) { channel.text(job.request, words); });
    if (reply)
      channel.control(job.request, {{"type", "result"},
                                    {"finish_reason", reply->cut ? "length" : "stop"},
                                    {"input_tokens", reply->inputTokens},
                                    {"cached_input_tokens", reply->cachedTokens},
                                    {"output_tokens", reply->outputTokens},
                                    {"dropped_messages", prompt.forgotten},
                                    {"ttft_ms", reply->ttftMs}});
  } catch (const BadRequest &bad) {
    channel.error(job.request, bad.code, bad.what());
  } catch (const std::exception &failure) {
    channel.error(job.request, "engine_failed", failure.what());
  }
}

/// The first call allocates and pages in the weights; nobody should wait for that.
void warmUp(Generator &generator) {
  ChatPrompt prompt({{"messages", {{{"role", "user"}, {"content", "Hello."}}}}, {"max_tokens", 2}});
  generator.reply(prompt, std::chrono::steady_clock::now(), [](std::string_view) {});
}

int serve(Channel &channel, const Options &options) {
  const auto start = std::chrono::steady_clock::now();
  // Static, because its thread lives as long as the process.
  static Inbox inbox(STDIN_FILENO, channel, JobShape::startOnly);
  inbox.open();
  const ModelFile file = verifiedModelFile(options.models, modelName);
  loadBackend();
  Generator generator(file.path, options.threads, inbox.stop());
  warmUp(generator);
  channel.control(0, {{"type", "ready"},
                      {"role", "llm"},
                      {"name", "SmolLM2-135M-Instruct"},
                      {"licence", file.licence},
                      {"threads", options.threads},
                      {"load_ms", millisecondsSince(start)}});
  for (;;) {
    const Job job = inbox.next();
    answer(generator, channel, job);
    inbox.finished(job.request);
  }
}

} // namespace

int main(int count, char **arguments) {
  prepareProcess();
  Channel channel(STDOUT_FILENO);
  try {
    return serve(channel, parseOptions(count, arguments));
  } catch (const StartFailure &failure) {
    channel.error(0, failure.code, failure.what());
  } catch (const std::exception &failure) {
    channel.error(0, "start_failed", failure.what());
  }
  _exit(1); // the reading thread goes with the process
}
